package io.trainyard.tracking;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The table of what is told of jobs, and the fold of it, in one transaction.
///
/// @param connection of that transaction
record NewsTable(Connection connection) {
    private static final String REQUESTED = "requested";
    private static final String HAPPENED = "happened";
    private static final String REJECTED = "rejected";

    /// @return a number that no news has had
    long nextNumber() throws SQLException {
        return Math.max(0, Sql.number(connection, "SELECT MAX(number) FROM news")) + 1;
    }

    /// News that are not losses, of a job and numbered.
    record Numbered(long job, long number, JobNews news) {}

    void add(List<Numbered> all) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO news (job, number, kind, teller, position, millis, body) VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            for (Numbered one : all) {
                insert.setLong(1, one.job());
                insert.setLong(2, one.number());
                insert.setLong(6, one.news().millis());
                switch (one.news()) {
                    case Requested command ->
                        set(
                                insert,
                                REQUESTED,
                                command.place(),
                                0,
                                command.spec() == null ? null : JobJson.write(command.spec()));
                    case Happened event -> set(insert, HAPPENED, event.worker(), event.offset(), body(event));
                    case Rejected refusal -> set(insert, REJECTED, refusal.command(), 0, refusal.reason());
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static String body(Happened event) {
        return new String(EventJson.write(event.event(), Instant.ofEpochMilli(event.millis())), StandardCharsets.UTF_8);
    }

    private static void set(
            PreparedStatement insert, String kind, @Nullable String teller, long position, @Nullable String body)
            throws SQLException {
        insert.setString(3, kind);
        insert.setString(4, Database.text(teller));
        insert.setLong(5, position);
        insert.setString(7, Database.text(body));
    }

    /// What was told of a job, in the order of reading.
    List<JobNews> of(String job, long number) throws SQLException {
        List<JobNews> all = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT kind, teller, position, millis, body FROM news WHERE job = ? ORDER BY number")) {
            select.setLong(1, number);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    all.add(news(job, rows));
                }
            }
        }
        return all;
    }

    /// Where a job stands: the fold of all that was told of it, and of each attempt's last losses.
    JobState state(String job, long number) throws SQLException {
        JobState state = new JobState(job);
        of(job, number).forEach(state::apply);
        lastLosses(job, number, state::apply);
        return state;
    }

    private static JobNews news(String job, ResultSet row) throws SQLException {
        String teller = row.getString(2);
        long millis = row.getLong(4);
        String body = row.getString(5);
        try {
            return switch (row.getString(1)) {
                case REQUESTED ->
                    new Requested(
                            job,
                            body == null ? null : JobJson.read(body.getBytes(StandardCharsets.UTF_8)),
                            teller,
                            millis);
                case REJECTED -> new Rejected(job, teller, body, millis);
                default ->
                    new Happened(
                            EventJson.readEvent(body.getBytes(StandardCharsets.UTF_8))
                                    .event(),
                            millis,
                            teller,
                            row.getLong(3));
            };
        } catch (IOException | InvalidJobException e) {
            throw new SQLException("news of the job %s cannot be read: %s".formatted(job, body), e);
        }
    }

    private void lastLosses(String job, long number, Consumer<JobNews> reader) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT attempt, first_step, epoch, millis, elapsed_micros, learning_rate, losses FROM losses
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
                    double rate = row.getDouble(6);
                    StepLosses losses = new StepLosses(
                            job,
                            attempt,
                            row.getInt(3),
                            row.getLong(2),
                            LossRow.losses(row.getBytes(7)),
                            row.getLong(5),
                            row.wasNull() ? null : rate);
                    reader.accept(new Happened(losses, row.getLong(4)));
                }
            }
        }
    }

    /// The commands of some jobs, as JSON, by job: of each the first that can be read.
    Map<String, String> commands(List<Long> jobs) throws SQLException {
        Map<String, String> commands = new LinkedHashMap<>();
        if (jobs.isEmpty()) {
            return commands;
        }
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT jobs.job, news.body FROM news JOIN jobs ON jobs.number = news.job
                WHERE news.kind = '%s' AND news.body IS NOT NULL AND news.job IN (%s)
                ORDER BY jobs.heard_millis, jobs.number, news.number""".formatted(REQUESTED, Sql.marks(jobs.size())))) {
            Sql.set(select, jobs);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    commands.putIfAbsent(rows.getString(1), rows.getString(2));
                }
            }
        }
        return commands;
    }
}
