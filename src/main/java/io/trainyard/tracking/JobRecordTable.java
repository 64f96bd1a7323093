package io.trainyard.tracking;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Accesses the table of the records of jobs, except losses, in one transaction. Rows are read one by one
/// because together they may exceed the heap.
record JobRecordTable(Connection connection) {
    /// Without a fetch size, PostgreSQL sends all rows at once, and a row may have megabytes.
    private static final int FETCHED_ROWS = 10;

    private static final String REQUESTED = "requested";
    private static final String HAPPENED = "happened";
    private static final String REJECTED = "rejected";

    /// @return a number that was never used
    long nextNumber() throws SQLException {
        return Math.max(0, Sql.number(connection, "SELECT MAX(number) FROM job_records")) + 1;
    }

    /// A record of a job, except losses, with its number.
    ///
    /// @param body the serialized record
    record Numbered(
            long job,
            long number,
            JobRecord jobRecord,
            @Nullable String body) {}

    /// The serialized content of a record; null if it has nothing apart from the columns of its row.
    static @Nullable String body(JobRecord jobRecord) {
        return switch (jobRecord) {
            case Requested command -> command.spec() == null ? null : JobJson.write(command.spec());
            case EventRecord event ->
                new String(
                        EventJson.write(event.event(), Instant.ofEpochMilli(event.millis())), StandardCharsets.UTF_8);
            case Rejected refusal -> refusal.reason();
        };
    }

    void add(List<Numbered> all) throws SQLException {
        Sql.batch(
                connection,
                "INSERT INTO job_records (job, number, kind, publisher, position, millis, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                all.stream()
                        .map(one -> switch (one.jobRecord()) {
                            case Requested command -> row(one, REQUESTED, command.place(), 0);
                            case EventRecord event -> row(one, HAPPENED, event.worker(), event.offset());
                            case Rejected refusal -> row(one, REJECTED, refusal.command(), 0);
                        })
                        .toList());
    }

    private static List<@Nullable Object> row(Numbered one, String kind, @Nullable String publisher, long position) {
        return Arrays.asList(
                one.job(),
                one.number(),
                kind,
                publisher,
                position,
                one.jobRecord().millis(),
                one.body());
    }

    interface Reader {
        /// @param bytes the approximate size in the store
        void take(JobRecord jobRecord, int bytes);
    }

    /// Stored records that cannot be read.
    ///
    /// @param reason why the first of them cannot be read
    record Unreadable(int records, String reason) {
        static final Unreadable NONE = new Unreadable(0, "");

        Unreadable plus(Exception e) {
            return new Unreadable(records + 1, records == 0 ? String.valueOf(e.getMessage()) : reason);
        }
    }

    /// Reads the records of a job in the order in which they arrived.
    ///
    /// @return the records that cannot be read; they are skipped
    Unreadable each(String job, long number, Reader reader) throws SQLException {
        Unreadable[] unreadable = {Unreadable.NONE};
        Sql.each(
                connection,
                "SELECT kind, publisher, position, millis, body FROM job_records WHERE job = ? ORDER BY number",
                FETCHED_ROWS,
                List.of(number),
                row -> {
                    JobRecord jobRecord = null;
                    String body = row.getString(5);
                    try {
                        jobRecord = jobRecord(job, row, body);
                    } catch (IOException | RuntimeException e) { // it may come from another version
                        unreadable[0] = unreadable[0].plus(e);
                    }
                    if (jobRecord != null) {
                        reader.take(jobRecord, body == null ? 0 : body.length());
                    }
                });
        return unreadable[0];
    }

    private static JobRecord jobRecord(String job, ResultSet row, @Nullable String body)
            throws SQLException, IOException {
        String publisher = row.getString(2);
        long millis = row.getLong(4);
        String kind = row.getString(1);
        if (kind.equals(REQUESTED)) {
            return new Requested(job, body == null ? null : JobJson.readWritten(body), publisher, millis);
        }
        if (body == null) {
            throw new IOException("a row of the kind %s has no body".formatted(kind));
        }
        return kind.equals(REJECTED)
                ? new Rejected(job, publisher, body, millis)
                : new EventRecord(
                        EventJson.readWritten(body.getBytes(StandardCharsets.UTF_8))
                                .event(),
                        millis,
                        publisher,
                        row.getLong(3));
    }

    /// Reads the last losses of each attempt of a job, without the learning rate.
    void lastLosses(String job, long number, Consumer<JobRecord> reader) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT attempt, first_step, epoch, millis, elapsed_micros, losses FROM losses
                WHERE job = ? AND attempt = (SELECT MIN(attempt) FROM losses WHERE job = ? AND attempt > ?)
                ORDER BY first_step DESC LIMIT 1""")) {
            select.setLong(1, number);
            select.setLong(2, number);
            for (int attempt = 0; ; ) {
                select.setInt(3, attempt);
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        return;
                    }
                    attempt = row.getInt(1);
                    StepLosses losses = new StepLosses(
                            job,
                            attempt,
                            row.getInt(3),
                            row.getLong(2),
                            LossRow.losses(row.getBytes(6)),
                            row.getLong(5),
                            null);
                    reader.accept(new EventRecord(losses, row.getLong(4)));
                }
            }
        }
    }

    /// Reads the commands of jobs as JSON: for each job, the first stored command.
    ///
    /// @param reader receives the job and its command
    void commands(List<Long> jobs, BiConsumer<String, String> reader) throws SQLException {
        if (jobs.isEmpty()) {
            return;
        }
        Set<String> read = new HashSet<>();
        String sql = """
                SELECT jobs.job, job_records.body FROM job_records JOIN jobs ON jobs.number = job_records.job
                WHERE job_records.kind = '%s' AND job_records.body IS NOT NULL AND job_records.job IN (%s)
                ORDER BY job_records.job, job_records.number""".formatted(REQUESTED, Sql.marks(jobs.size()));
        Sql.each(connection, sql, FETCHED_ROWS, jobs, row -> {
            if (read.add(row.getString(1))) {
                reader.accept(row.getString(1), row.getString(2));
            }
        });
    }
}
