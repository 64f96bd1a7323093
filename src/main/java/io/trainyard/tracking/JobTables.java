package io.trainyard.tracking;

import io.trainyard.event.JobState;
import io.trainyard.spec.JobSpec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Accesses the table of jobs, and deletes jobs from all tables, in one transaction.
record JobTables(Connection connection) {
    private static final Pattern PARTITION_AND_OFFSET = Pattern.compile("-\\d+ at offset \\d+$");

    /// @return a job's number in the store; 0 if unknown
    long number(String job) throws SQLException {
        return Sql.number(connection, "SELECT number FROM jobs WHERE job = ?", job);
    }

    /// @return a number that was never used
    long nextNumber() throws SQLException {
        return Math.max(0, Sql.number(connection, "SELECT MAX(number) FROM jobs")) + 1;
    }

    /// @return an unused number below 0
    long numberBelow() throws SQLException {
        return Math.min(0, Sql.number(connection, "SELECT MIN(number) FROM jobs")) - 1;
    }

    /// A job in the store.
    ///
    /// @param number in the store
    record Traced(long number, CountedAttempts lineage) {}

    List<Traced> traced(Collection<String> jobs) throws SQLException {
        if (jobs.isEmpty()) {
            return List.of(); // PostgreSQL has no empty list
        }
        return Sql.list(
                connection,
                "SELECT number, attempts FROM jobs WHERE job IN (%s)".formatted(Sql.marks(jobs.size())),
                List.copyOf(jobs),
                row -> new Traced(row.getLong(1), CountedAttempts.read(row.getString(2))));
    }

    /// Inserts or updates the rows of jobs.
    ///
    /// @param states by the jobs' numbers
    /// @return the summaries of the jobs
    List<JobSummary> put(Map<Long, JobState> states) throws SQLException {
        Map<Long, JobSummary> summaries = new LinkedHashMap<>();
        List<List<@Nullable Object>> rows = new ArrayList<>();
        states.forEach((number, state) -> {
            JobSummary summary = JobSummary.of(state);
            summaries.put(number, summary);
            rows.add(row(number, summary, state));
        });
        Sql.batch(connection, """
                INSERT INTO jobs (number, job, status, submitted_millis, start_millis, duration_millis, end_millis, dataset,
                    network, worker, device, epochs_done, step, attempts, loss, test_loss, accuracy, wants, topic, project,
                    job_group)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (number) DO UPDATE SET status = excluded.status, submitted_millis = excluded.submitted_millis,
                    start_millis = excluded.start_millis, duration_millis = excluded.duration_millis,
                    end_millis = excluded.end_millis, dataset = excluded.dataset, network = excluded.network,
                    worker = excluded.worker, device = excluded.device, epochs_done = excluded.epochs_done,
                    step = excluded.step, attempts = excluded.attempts, loss = excluded.loss,
                    test_loss = excluded.test_loss, accuracy = excluded.accuracy, wants = excluded.wants, topic = excluded.topic,
                    project = excluded.project, job_group = excluded.job_group""", rows);
        new SummaryTable(connection).put(summaries);
        return List.copyOf(summaries.values());
    }

    private static List<@Nullable Object> row(long number, JobSummary summary, JobState state) {
        return Arrays.asList(
                number,
                summary.job(),
                summary.status().name(),
                summary.firstSeenMillis(),
                summary.startMillis(),
                summary.durationMillis(),
                summary.status().isFinal() ? state.lastRecordMillis() : 0,
                summary.dataset(),
                summary.network(),
                summary.worker(),
                summary.device(),
                summary.epochsDone(),
                summary.step(),
                CountedAttempts.of(state).text(),
                finite(summary.loss()),
                finite(summary.testLoss()),
                summary.testAccuracy(),
                summary.wants(),
                topic(state.commandPlace()),
                project(state),
                summary.group());
    }

    private static @Nullable String project(JobState state) {
        JobSpec spec = state.spec();
        return spec == null ? null : spec.projectName();
    }

    /// The topic in a place such as `commands.high-0 at offset 7`.
    private static @Nullable String topic(@Nullable String place) {
        return place == null ? null : PARTITION_AND_OFFSET.matcher(place).replaceFirst("");
    }

    /// Databases sort NaN differently.
    private static @Nullable Double finite(@Nullable Number number) {
        return number == null || !Double.isFinite(number.doubleValue()) ? null : Double.valueOf(number.doubleValue());
    }

    /// Deletes ended jobs: those that ended before a time, and the oldest above a maximum number.
    ///
    /// @return their ids
    List<String> forget(long before, long keep, int most) throws SQLException {
        Map<Long, String> jobs = new LinkedHashMap<>();
        String sql = """
                SELECT number, job FROM jobs WHERE end_millis > 0 AND (end_millis < ? OR end_millis <=
                    (SELECT end_millis FROM jobs WHERE end_millis > 0 ORDER BY end_millis DESC LIMIT 1 OFFSET ?))
                ORDER BY end_millis, number LIMIT ?""";
        List<Object> values = List.of(before, keep, most);
        Sql.each(connection, sql, 0, values, row -> jobs.put(row.getLong(1), row.getString(2)));
        delete(jobs);
        return List.copyOf(jobs.values());
    }

    /// Deletes jobs.
    ///
    /// @param jobs their ids by number
    void delete(Map<Long, String> jobs) throws SQLException {
        for (var job : jobs.entrySet()) {
            new UsageTables(connection).forget(job.getKey());
            for (String table : List.of("submitters", "control_requests")) {
                Sql.update(connection, "DELETE FROM %s WHERE job = ?".formatted(table), job.getValue());
            }
            for (String table :
                    List.of("chunks", "losses", "job_records", "summaries", "notes", "tags", "device_uses")) {
                Sql.update(connection, "DELETE FROM %s WHERE job = ?".formatted(table), job.getKey());
            }
            new MetricTables(connection).forget(job.getValue());
            Sql.update(connection, "DELETE FROM jobs WHERE number = ?", job.getKey());
        }
    }
}
