package io.trainyard.tracking;

import io.trainyard.event.JobState;
import io.trainyard.spec.JobSpec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The table of jobs, and the forgetting of jobs in all tables, in one transaction.
///
/// @param connection of that transaction
record JobTables(Connection connection) {
    private static final Pattern PARTITION_AND_OFFSET = Pattern.compile("-\\d+ at offset \\d+$");

    /// @return a job's number in the store; 0 where it has none
    long number(String job) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT number FROM jobs WHERE job = ?")) {
            select.setString(1, Database.text(job));
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }

    /// @param number of a job that is here
    String name(long number) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT job FROM jobs WHERE number = ?")) {
            select.setLong(1, number);
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    /// @return a number that no job has had
    long nextNumber() throws SQLException {
        return Math.max(0, Sql.number(connection, "SELECT MAX(number) FROM jobs")) + 1;
    }

    /// @return a number below 0 that no job has
    long numberBelow() throws SQLException {
        return Math.min(0, Sql.number(connection, "SELECT MIN(number) FROM jobs")) - 1;
    }

    /// A job in the store.
    ///
    /// @param number in the store
    record Traced(long number, Lineage lineage) {}

    /// Those of some jobs that are in the store.
    List<Traced> traced(Collection<String> jobs) throws SQLException {
        List<Traced> found = new ArrayList<>();
        if (jobs.isEmpty()) {
            return found; // PostgreSQL knows no empty list
        }
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT number, attempts FROM jobs WHERE job IN (%s)".formatted(Sql.marks(jobs.size())))) {
            Sql.set(select, jobs.stream().map(Database::text).toList());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(new Traced(rows.getLong(1), Lineage.read(rows.getString(2))));
                }
            }
        }
        return found;
    }

    /// Writes jobs' rows, or writes them anew.
    ///
    /// @param states by the jobs' numbers
    /// @return what lists show of them
    List<JobSummary> put(Map<Long, JobState> states) throws SQLException {
        Map<Long, JobSummary> summaries = new LinkedHashMap<>();
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO jobs (number, job, status, heard_millis, start_millis, duration_millis, end_millis, dataset,
                    network, worker, device, epochs_done, step, attempts, loss, test_loss, accuracy, wants, topic, project,
                    job_group)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (number) DO UPDATE SET status = excluded.status, heard_millis = excluded.heard_millis,
                    start_millis = excluded.start_millis, duration_millis = excluded.duration_millis,
                    end_millis = excluded.end_millis, dataset = excluded.dataset, network = excluded.network,
                    worker = excluded.worker, device = excluded.device, epochs_done = excluded.epochs_done,
                    step = excluded.step, attempts = excluded.attempts, loss = excluded.loss,
                    test_loss = excluded.test_loss, accuracy = excluded.accuracy, wants = excluded.wants, topic = excluded.topic,
                    project = excluded.project, job_group = excluded.job_group""")) {
            for (var state : states.entrySet()) {
                JobSummary summary = JobSummary.of(state.getValue());
                summaries.put(state.getKey(), summary);
                set(insert, state.getKey(), summary, state.getValue());
                insert.addBatch();
            }
            insert.executeBatch();
        }
        new SummaryTable(connection).put(summaries);
        return List.copyOf(summaries.values());
    }

    private static void set(PreparedStatement insert, long number, JobSummary summary, JobState state)
            throws SQLException {
        int column = 0;
        insert.setLong(++column, number);
        insert.setString(++column, Database.text(summary.job()));
        insert.setString(++column, summary.status().name());
        insert.setLong(++column, summary.firstSeenMillis());
        insert.setLong(++column, summary.startMillis());
        insert.setLong(++column, summary.durationMillis());
        insert.setLong(++column, summary.status().isFinal() ? state.lastHeardMillis() : 0);
        insert.setString(++column, Database.text(summary.dataset()));
        insert.setString(++column, Database.text(summary.network()));
        insert.setString(++column, Database.text(summary.worker()));
        insert.setString(++column, Database.text(summary.device()));
        insert.setInt(++column, summary.epochsDone());
        insert.setLong(++column, summary.step());
        insert.setString(++column, Lineage.of(state).text());
        insert.setObject(++column, finite(summary.loss()), Types.DOUBLE);
        insert.setObject(++column, finite(summary.testLoss()), Types.DOUBLE);
        insert.setObject(++column, summary.testAccuracy(), Types.DOUBLE);
        insert.setString(++column, Database.text(summary.wants()));
        insert.setString(++column, Database.text(topic(state.commandPlace())));
        insert.setString(++column, project(state));
        insert.setString(++column, Database.text(summary.group()));
    }

    private static @Nullable String project(JobState state) {
        JobSpec spec = state.spec();
        return spec == null ? null : spec.projectName();
    }

    /// The topic in a place such as `commands.high-0 at offset 7`.
    private static @Nullable String topic(@Nullable String place) {
        return place == null ? null : PARTITION_AND_OFFSET.matcher(place).replaceFirst("");
    }

    /// Databases sort what is no number differently.
    private static @Nullable Double finite(@Nullable Number number) {
        return number == null || !Double.isFinite(number.doubleValue()) ? null : Double.valueOf(number.doubleValue());
    }

    /// Removes jobs that ended before a time, or that are more than so many; the eldest first.
    ///
    /// @return their names
    List<String> forget(long before, long keep, int most) throws SQLException {
        List<Long> jobs = Sql.numbers(connection, """
                SELECT number FROM jobs WHERE end_millis > 0 AND (end_millis < ? OR end_millis <=
                    (SELECT end_millis FROM jobs WHERE end_millis > 0 ORDER BY end_millis DESC LIMIT 1 OFFSET ?))
                ORDER BY end_millis, number LIMIT ?""", List.of(before, keep, most));
        List<String> names = new ArrayList<>();
        for (long job : jobs) {
            String name = name(job);
            names.add(name);
            Submitters.forget(connection, name);
            new WishTable(connection).forget(name);
            new UsageTables(connection).forget(job);
            for (String table : List.of("chunks", "losses", "news", "summaries", "notes", "tags", "device_uses")) {
                remove("DELETE FROM %s WHERE job = ?".formatted(table), job);
            }
            remove("DELETE FROM jobs WHERE number = ?", job);
        }
        return names;
    }

    private void remove(String sql, long job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            delete.setLong(1, job);
            delete.executeUpdate();
        }
    }
}
