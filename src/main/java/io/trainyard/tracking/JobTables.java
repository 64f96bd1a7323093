package io.trainyard.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The tables of jobs and of what is told of them, in one transaction.
///
/// @param connection of that transaction
record JobTables(Connection connection) {
    /// Another version may have written more of a job.
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final String REQUESTED = "requested";
    private static final String HAPPENED = "happened";
    private static final String REJECTED = "rejected";

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

    /// @return a number that no job has had
    long nextNumber() throws SQLException {
        return next("SELECT MAX(number) FROM jobs");
    }

    /// @return a number below 0 that no job has
    long numberBelow() throws SQLException {
        return Math.min(0, extreme("SELECT MIN(number) FROM jobs")) - 1;
    }

    /// @return a number that no news has had
    long nextNewsNumber() throws SQLException {
        return next("SELECT MAX(number) FROM news");
    }

    private long next(String highest) throws SQLException {
        return Math.max(0, extreme(highest)) + 1;
    }

    /// @return 0 where there are no rows
    private long extreme(String sql) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql);
                ResultSet rows = select.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /// News that are not losses, of a job and numbered.
    record Numbered(long job, long number, JobNews news) {}

    void addNews(List<Numbered> all) throws SQLException {
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
                "SELECT number, attempts FROM jobs WHERE job IN (%s)".formatted(marks(jobs.size())))) {
            set(select, jobs.stream().map(Database::text).toList());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(new Traced(rows.getLong(1), Lineage.read(rows.getString(2))));
                }
            }
        }
        return found;
    }

    /// What was told of a job, in the order of reading.
    List<JobNews> news(String job, long number) throws SQLException {
        List<JobNews> news = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT kind, teller, position, millis, body FROM news WHERE job = ? ORDER BY number")) {
            select.setLong(1, number);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    news.add(news(job, rows));
                }
            }
        }
        return news;
    }

    /// Where a job stands: the fold of all that was told of it, and of each attempt's last losses.
    JobState state(String job, long number) throws SQLException {
        JobState state = new JobState(job);
        news(job, number).forEach(state::apply);
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

    /// Writes jobs' rows, or writes them anew.
    ///
    /// @param states by the jobs' numbers
    /// @return what lists show of them
    List<JobSummary> put(Map<Long, JobState> states) throws SQLException {
        List<JobSummary> summaries = new ArrayList<>(states.size());
        try (PreparedStatement job = connection.prepareStatement("""
                        INSERT INTO jobs (number, job, status, heard_millis, start_millis, duration_millis, end_millis, dataset,
                            network, worker, device, epochs_done, step, attempts, loss, accuracy, wants, topic)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT (number) DO UPDATE SET status = excluded.status, heard_millis = excluded.heard_millis,
                            start_millis = excluded.start_millis, duration_millis = excluded.duration_millis,
                            end_millis = excluded.end_millis, dataset = excluded.dataset, network = excluded.network,
                            worker = excluded.worker, device = excluded.device, epochs_done = excluded.epochs_done,
                            step = excluded.step, attempts = excluded.attempts, loss = excluded.loss, accuracy = excluded.accuracy,
                            wants = excluded.wants, topic = excluded.topic""");
                PreparedStatement row = connection.prepareStatement("""
                        INSERT INTO summaries (job, summary) VALUES (?, ?)
                        ON CONFLICT (job) DO UPDATE SET summary = excluded.summary""")) {
            for (var entry : states.entrySet()) {
                JobSummary summary = JobSummary.of(entry.getValue());
                summaries.add(summary);
                set(job, entry.getKey(), summary, entry.getValue());
                job.addBatch();
                row.setLong(1, entry.getKey());
                row.setString(2, Database.text(json(summary)));
                row.addBatch();
            }
            job.executeBatch();
            row.executeBatch();
        }
        return summaries;
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
        insert.setObject(++column, summary.testAccuracy(), Types.DOUBLE);
        insert.setString(++column, Database.text(summary.wants()));
        insert.setString(++column, Database.text(topic(state.commandPlace())));
    }

    /// The topic in a place such as `commands.high-0 at offset 7`.
    private static @Nullable String topic(@Nullable String place) {
        return place == null ? null : PARTITION_AND_OFFSET.matcher(place).replaceFirst("");
    }

    /// How many jobs have not ended, by what they are alike in.
    List<UnderWay> underWay() throws SQLException {
        List<UnderWay> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT status, wants, topic, COUNT(*) FROM jobs WHERE end_millis = 0 GROUP BY status, wants, topic");
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                found.add(new UnderWay(
                        Status.valueOf(rows.getString(1)), rows.getString(2), rows.getString(3), rows.getLong(4)));
            }
        }
        return found;
    }

    /// Databases sort what is no number differently.
    private static @Nullable Double finite(@Nullable Float number) {
        return number == null || !Float.isFinite(number) ? null : Double.valueOf(number);
    }

    private static String json(JobSummary summary) {
        try {
            return MAPPER.writeValueAsString(summary);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a summary is always writable", e);
        }
    }

    private static JobSummary summary(String json) throws SQLException {
        try {
            return MAPPER.readValue(json, JobSummary.class);
        } catch (JsonProcessingException e) {
            throw new SQLException("a job's summary cannot be read: " + json, e);
        }
    }

    /// The jobs that a query asks for.
    JobPage page(JobQuery query) throws SQLException {
        List<Object> values = new ArrayList<>();
        String from = from(query, values);
        long total = numbers("SELECT COUNT(*) " + from, values).getFirst();
        List<Long> found = found(query);
        return new JobPage(summaries(found), tags(found), total);
    }

    private List<Long> found(JobQuery query) throws SQLException {
        List<Object> values = new ArrayList<>();
        String from = from(query, values);
        values.add(query.limit());
        values.add(query.offset());
        return numbers("SELECT number %s ORDER BY %s LIMIT ? OFFSET ?".formatted(from, query.order()), values);
    }

    private Map<String, List<String>> tags(List<Long> jobs) throws SQLException {
        Map<String, List<String>> tags = new HashMap<>();
        if (!jobs.isEmpty()) {
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT jobs.job, tags.tag FROM tags JOIN jobs ON jobs.number = tags.job
                    WHERE tags.job IN (%s) ORDER BY tags.tag""".formatted(marks(jobs.size())))) {
                set(select, jobs);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        tags.computeIfAbsent(rows.getString(1), _ -> new ArrayList<>())
                                .add(rows.getString(2));
                    }
                }
            }
        }
        return tags;
    }

    private static String from(JobQuery query, List<Object> values) {
        List<String> conditions = new ArrayList<>();
        if (!query.statuses().isEmpty()) {
            conditions.add("status IN (%s)".formatted(marks(query.statuses().size())));
            query.statuses().forEach(status -> values.add(status.name()));
        }
        if (!query.text().isEmpty()) {
            List<String> searched = List.of("job", "dataset", "network", "worker");
            conditions.add(searched.stream()
                    .map("LOWER(%s) LIKE ? ESCAPE '!'"::formatted)
                    .collect(Collectors.joining(" OR ", "(", ")")));
            values.addAll(Collections.nCopies(searched.size(), query.pattern()));
        }
        if (!query.tag().isEmpty()) {
            conditions.add("number IN (SELECT job FROM tags WHERE tag = ?)");
            values.add(Database.text(query.tag()));
        }
        return "FROM jobs" + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions));
    }

    /// The commands of the jobs that a query asks for, by job: of each the first that can be read.
    Map<String, String> commands(JobQuery query) throws SQLException {
        List<Long> jobs = found(query);
        Map<String, String> commands = new LinkedHashMap<>();
        if (jobs.isEmpty()) {
            return commands;
        }
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT jobs.job, news.body FROM news JOIN jobs ON jobs.number = news.job
                WHERE news.kind = '%s' AND news.body IS NOT NULL AND news.job IN (%s)
                ORDER BY jobs.heard_millis, jobs.number, news.number""".formatted(REQUESTED, marks(jobs.size())))) {
            set(select, jobs);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    commands.putIfAbsent(rows.getString(1), rows.getString(2));
                }
            }
        }
        return commands;
    }

    /// Removes jobs that ended before a time, or that are more than so many; the eldest first.
    ///
    /// @return their names
    List<String> forget(long before, long keep, int most) throws SQLException {
        List<Long> jobs = numbers("""
                SELECT number FROM jobs WHERE end_millis > 0 AND (end_millis < ? OR end_millis <=
                    (SELECT end_millis FROM jobs WHERE end_millis > 0 ORDER BY end_millis DESC LIMIT 1 OFFSET ?))
                ORDER BY end_millis, number LIMIT ?""", List.of(before, keep, most));
        List<String> names = new ArrayList<>();
        for (long job : jobs) {
            try (PreparedStatement select = connection.prepareStatement("SELECT job FROM jobs WHERE number = ?")) {
                select.setLong(1, job);
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    names.add(rows.getString(1));
                }
            }
            for (String table : List.of("chunks", "losses", "news", "summaries", "notes", "tags")) {
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

    private static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    private List<Long> numbers(String sql, List<Object> values) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            set(select, values);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    numbers.add(rows.getLong(1));
                }
            }
        }
        return numbers;
    }

    private List<JobSummary> summaries(List<Long> jobs) throws SQLException {
        if (jobs.isEmpty()) {
            return List.of(); // PostgreSQL knows no empty list
        }
        Map<Long, JobSummary> found = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT job, summary FROM summaries WHERE job IN (%s)".formatted(marks(jobs.size())))) {
            set(select, jobs);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.put(rows.getLong(1), summary(rows.getString(2)));
                }
            }
        }
        return jobs.stream().map(found::get).toList();
    }

    private static void set(PreparedStatement statement, List<?> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
        }
    }
}
