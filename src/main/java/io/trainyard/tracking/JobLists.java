package io.trainyard.tracking;

import io.trainyard.event.JobState.Status;
import io.trainyard.share.ProjectUse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/// Queries lists of jobs in one transaction.
record JobLists(Connection connection) {
    JobPage page(JobQuery query) throws SQLException {
        List<Object> values = new ArrayList<>();
        String from = from(query, values);
        long total = Sql.number(connection, "SELECT COUNT(*) " + from, values.toArray());
        List<Long> found = found(query);
        return new JobPage(new SummaryTable(connection).of(found), tags(found), total);
    }

    private List<Long> found(JobQuery query) throws SQLException {
        List<Object> values = new ArrayList<>();
        String from = from(query, values);
        values.add(query.limit());
        values.add(query.offset());
        String sql = "SELECT number %s ORDER BY %s LIMIT ? OFFSET ?".formatted(from, query.order());
        return Sql.list(connection, sql, values, row -> row.getLong(1));
    }

    void commands(JobQuery query, BiConsumer<String, String> reader) throws SQLException {
        new JobRecordTable(connection).commands(found(query), reader);
    }

    private Map<String, List<String>> tags(List<Long> jobs) throws SQLException {
        Map<String, List<String>> tags = new HashMap<>();
        if (!jobs.isEmpty()) {
            Sql.each(
                    connection,
                    """
                    SELECT jobs.job, tags.tag FROM tags JOIN jobs ON jobs.number = tags.job
                    WHERE tags.job IN (%s) ORDER BY tags.tag""".formatted(Sql.marks(jobs.size())),
                    0,
                    jobs,
                    row -> tags.computeIfAbsent(row.getString(1), _ -> new ArrayList<>())
                            .add(row.getString(2)));
        }
        return tags;
    }

    private static String from(JobQuery query, List<Object> values) {
        List<String> conditions = new ArrayList<>();
        if (!query.statuses().isEmpty()) {
            conditions.add("status IN (%s)".formatted(Sql.marks(query.statuses().size())));
            query.statuses().forEach(status -> values.add(status.name()));
        }
        if (!query.text().isEmpty()) {
            List<String> searched = List.of("job", "dataset", "network", "worker");
            conditions.add(searched.stream()
                    .map("LOWER(%s) LIKE ? ESCAPE '!'"::formatted)
                    .collect(Collectors.joining(" OR ", "(", ")")));
            values.addAll(Collections.nCopies(searched.size(), query.pattern()));
        }
        if (!query.group().isEmpty()) {
            conditions.add("job_group = ?");
            values.add(query.group());
        }
        if (!query.project().isEmpty()) {
            conditions.add("project = ?");
            values.add(query.project());
        }
        if (!query.tag().isEmpty()) {
            conditions.add("number IN (SELECT job FROM tags WHERE tag = ?)");
            values.add(query.tag());
        }
        return "FROM jobs" + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions));
    }

    /// The number of unfinished jobs by status, device kind and topic.
    List<UnfinishedJobs> underWay() throws SQLException {
        return Sql.list(
                connection,
                "SELECT status, wants, topic, COUNT(*) FROM jobs WHERE end_millis = 0 GROUP BY status, wants, topic",
                List.of(),
                row -> new UnfinishedJobs(
                        Status.valueOf(row.getString(1)), row.getString(2), row.getString(3), row.getLong(4)));
    }

    /// The running and queued jobs of each project that has any, and its device time between two moments.
    ///
    /// @param fromMillis Unix time in ms
    Map<String, ProjectUse> projects(long fromMillis, long toMillis) throws SQLException {
        Map<String, ProjectUse> found = new HashMap<>();
        Sql.each(
                connection,
                """
                SELECT project, SUM(CASE status WHEN 'RUNNING' THEN 1 ELSE 0 END),
                    SUM(CASE status WHEN 'QUEUED' THEN 1 ELSE 0 END), 0
                FROM jobs WHERE end_millis = 0 AND project IS NOT NULL GROUP BY project
                UNION ALL
                SELECT jobs.project, 0, 0, SUM(uses.devices * (
                    CASE WHEN uses.end_millis > ? THEN ? ELSE uses.end_millis END
                    - CASE WHEN uses.start_millis < ? THEN ? ELSE uses.start_millis END))
                FROM device_uses uses JOIN jobs ON jobs.number = uses.job
                WHERE uses.end_millis > ? AND uses.start_millis < ? AND jobs.project IS NOT NULL
                GROUP BY jobs.project""",
                0,
                List.of(toMillis, toMillis, fromMillis, fromMillis, fromMillis, toMillis),
                row -> found.merge(
                        row.getString(1),
                        new ProjectUse(row.getLong(2), row.getLong(3), row.getLong(4) / 1e3),
                        ProjectUse::plus));
        return found;
    }
}
