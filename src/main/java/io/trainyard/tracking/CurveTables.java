package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Accesses the tables of curves in one transaction.
record CurveTables(Connection connection) {
    /// Without a fetch size, PostgreSQL sends all rows at once.
    private static final int FETCHED_ROWS = 1000;

    /// The curve of an attempt.
    ///
    /// @param job the job's number in the store
    record Key(long job, int attempt) {}

    interface LossReader {
        void take(long firstStep, long millis, float[] losses);
    }

    @FunctionalInterface
    interface SpanReader {
        void take(LossSpan span) throws SQLException;
    }

    interface ChunkReader {
        void take(long chunk, Buckets buckets) throws SQLException;
    }

    /// Inserts rows. Existing rows are left unchanged.
    void add(Key key, List<LossRow> rows) throws SQLException {
        Sql.batch(
                connection,
                """
                INSERT INTO losses (job, attempt, first_step, epoch, millis, elapsed_micros, learning_rate, losses)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""",
                rows.stream()
                        .map(row -> Arrays.<@Nullable Object>asList(
                                key.job(),
                                key.attempt(),
                                row.firstStep(),
                                row.epoch(),
                                row.millis(),
                                row.elapsedMicros(),
                                row.learningRate(),
                                row.bytes()))
                        .toList());
    }

    /// Reads the rows that begin in a range of steps, both ends inclusive, in order.
    void losses(Key key, long from, long to, LossReader reader) throws SQLException {
        Sql.each(
                connection,
                """
                SELECT first_step, millis, losses FROM losses
                WHERE job = ? AND attempt = ? AND first_step BETWEEN ? AND ? ORDER BY first_step""",
                0,
                List.of(key.job(), key.attempt(), from, to),
                row -> reader.take(row.getLong(1), row.getLong(2), LossRow.losses(row.getBytes(3))));
    }

    /// Reads the rows that have a step in a range, both ends inclusive, in order. Steps outside the range or in
    /// an earlier row are removed from each row.
    void spans(Key key, long from, long to, SpanReader reader) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT first_step, epoch, millis, elapsed_micros, learning_rate, losses FROM losses
                WHERE job = ? AND attempt = ? AND first_step BETWEEN ? AND ? ORDER BY first_step""")) {
            select.setLong(1, key.job());
            select.setInt(2, key.attempt());
            select.setLong(3, Level.FIRST.firstStep(Level.FIRST.chunk(from))); // no row crosses a chunk's border
            select.setLong(4, to);
            select.setFetchSize(FETCHED_ROWS);
            double before = Double.NaN;
            long next = from;
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    long millis = rows.getLong(3);
                    double rate = rows.getDouble(5);
                    Double learningRate = rows.wasNull() ? null : Double.valueOf(rate);
                    double start = before;
                    if (Double.isNaN(before)) {
                        start = rows.getLong(1) == 1 ? millis - rows.getLong(4) / 1e3 : millis;
                    }
                    LossSpan span = new LossSpan(
                            key.attempt(),
                            rows.getInt(2),
                            rows.getLong(1),
                            Math.min(start, millis),
                            millis,
                            learningRate,
                            LossRow.losses(rows.getBytes(6)));
                    before = millis;
                    if (span.lastStep() >= next) {
                        reader.take(span.within(next, to));
                        next = span.lastStep() + 1;
                    }
                }
            }
        }
    }

    /// The last step with a loss; 0 without losses.
    long lastStep(Key key) throws SQLException {
        List<Long> last = Sql.list(
                connection,
                "SELECT first_step, losses FROM losses WHERE job = ? AND attempt = ? ORDER BY first_step DESC LIMIT 1",
                List.of(key.job(), key.attempt()),
                row -> row.getLong(1) + row.getBytes(2).length / Float.BYTES - 1);
        return last.isEmpty() ? 0 : last.getFirst();
    }

    /// The learning rates of evenly spaced steps.
    ///
    /// @param most the maximum number of steps
    List<RatePoint> rates(Key key, long first, long last, int most) throws SQLException {
        List<RatePoint> rates = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT first_step, learning_rate FROM losses
                WHERE job = ? AND attempt = ? AND first_step >= ? AND first_step <= ? ORDER BY first_step LIMIT 1""")) {
            select.setLong(1, key.job());
            select.setInt(2, key.attempt());
            select.setLong(4, last);
            double apart = Math.max(1, (last - first + 1) / (double) most);
            for (long next = first; next <= last; ) {
                select.setLong(3, next);
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        return rates;
                    }
                    long step = row.getLong(1);
                    double rate = row.getDouble(2);
                    if (!row.wasNull()) {
                        rates.add(new RatePoint(step, rate));
                    }
                    next = step + Math.round(apart);
                }
            }
        }
        return rates;
    }

    void put(Key key, Level level, long chunk, Buckets buckets) throws SQLException {
        String sql = """
                INSERT INTO chunks (job, level, chunk, attempt, buckets) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (job, level, chunk, attempt) DO UPDATE SET buckets = excluded.buckets""";
        Sql.update(connection, sql, key.job(), level.number(), chunk, key.attempt(), buckets.write());
    }

    /// Reads chunks of a level, both ends inclusive, in order.
    void chunks(Key key, Level level, long from, long to, ChunkReader reader) throws SQLException {
        Sql.each(
                connection,
                """
                SELECT chunk, buckets FROM chunks
                WHERE job = ? AND level = ? AND chunk BETWEEN ? AND ? AND attempt = ? ORDER BY chunk""",
                0,
                List.of(key.job(), level.number(), from, to, key.attempt()),
                row -> reader.take(row.getLong(1), Buckets.read(row.getBytes(2))));
    }
}
