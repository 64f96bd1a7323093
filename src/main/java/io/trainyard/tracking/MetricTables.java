package io.trainyard.tracking;

import io.trainyard.event.MetricValues;
import io.trainyard.tracking.MetricPoints.Point;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Accesses the tables of users' metrics in one transaction. Any client can publish metrics, so their
/// number is limited: the names of a job, the points of a name, and the points of unknown jobs.
record MetricTables(Connection connection) {
    /// The maximum number of points of a metric. If there are more, every second one is deleted, and half
    /// as many of the following ones are stored.
    static final int MAX_POINTS = 10_000;

    /// The maximum number of stored points of unknown jobs. Their commands may be read later.
    static final int MAX_UNKNOWN = 200_000;

    /// A metric.
    ///
    /// @param points an upper bound of the stored points
    /// @param stride every so many received points one is stored
    /// @param received the received points
    private record Row(long number, long points, long stride, long received, Point last) {}

    /// Stores values.
    ///
    /// @return the jobs with too many names; these values were dropped
    Set<String> put(Collection<MetricValues> all) throws SQLException {
        Map<String, Map<String, TreeMap<Long, Point>>> points = new LinkedHashMap<>();
        for (MetricValues one : all) {
            long millis = one.time() == null ? 0 : one.time().toEpochMilli();
            Map<String, TreeMap<Long, Point>> metrics = points.computeIfAbsent(one.job(), _ -> new LinkedHashMap<>());
            one.values()
                    .forEach((name, value) -> metrics.computeIfAbsent(name, _ -> new TreeMap<>())
                            .put(one.step(), new Point(one.step(), millis, value)));
        }
        Set<String> refused = new TreeSet<>();
        for (var job : points.entrySet()) {
            Map<String, Row> rows = rows(job.getKey());
            for (var metric : job.getValue().entrySet()) {
                Row row = rows.get(metric.getKey());
                if (row == null && rows.size() == MetricValues.MAX_NAMES) {
                    refused.add(job.getKey());
                } else {
                    rows.put(
                            metric.getKey(),
                            put(
                                    job.getKey(),
                                    metric.getKey(),
                                    row,
                                    metric.getValue().values()));
                }
            }
        }
        return refused;
    }

    private Map<String, Row> rows(String job) throws SQLException {
        Map<String, Row> rows = new LinkedHashMap<>();
        Sql.each(
                connection,
                "SELECT name, number, points, stride, received, last_step, last_millis, last_value FROM metrics WHERE job = ? ORDER BY number",
                0,
                List.of(job),
                row -> rows.put(
                        row.getString(1),
                        new Row(
                                row.getLong(2),
                                row.getLong(3),
                                row.getLong(4),
                                row.getLong(5),
                                new Point(row.getLong(6), row.getLong(7), row.getDouble(8)))));
        return rows;
    }

    private Row put(String job, String name, @Nullable Row row, Collection<Point> points) throws SQLException {
        Row before =
                row == null ? new Row(nextNumber(), 0, 1, 0, points.iterator().next()) : row;
        List<List<Object>> stored = new ArrayList<>();
        long received = before.received();
        Point last = before.last();
        for (Point point : points) {
            List<Object> values = List.of(before.number(), point.step(), point.millis(), point.value());
            if (received++ % before.stride() == 0) {
                stored.add(values);
            } else { // a repeated attempt replaces its steps
                Sql.update(
                        connection,
                        "UPDATE metric_points SET millis = ?, value = ? WHERE metric = ? AND step = ?",
                        point.millis(),
                        point.value(),
                        before.number(),
                        point.step());
            }
            last = point.step() >= last.step() ? point : last;
        }
        Sql.batch(connection, """
                INSERT INTO metric_points (metric, step, millis, value) VALUES (?, ?, ?, ?)
                ON CONFLICT (metric, step) DO UPDATE SET millis = excluded.millis, value = excluded.value""", stored);
        Row after = thinned(new Row(before.number(), before.points() + stored.size(), before.stride(), received, last));
        Sql.update(
                connection,
                """
                INSERT INTO metrics (number, job, name, points, stride, received, last_step, last_millis, last_value)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (number) DO UPDATE SET points = excluded.points, stride = excluded.stride,
                    received = excluded.received, last_step = excluded.last_step, last_millis = excluded.last_millis,
                    last_value = excluded.last_value""",
                after.number(),
                job,
                name,
                after.points(),
                after.stride(),
                after.received(),
                last.step(),
                last.millis(),
                last.value());
        return after;
    }

    private long nextNumber() throws SQLException {
        return Sql.number(connection, "SELECT MAX(number) FROM metrics") + 1;
    }

    private Row thinned(Row metric) throws SQLException {
        Row row = metric;
        while (row.points() > MAX_POINTS) {
            long points = Sql.number(connection, "SELECT COUNT(*) FROM metric_points WHERE metric = ?", row.number());
            long stride = row.stride();
            if (points > MAX_POINTS) {
                points -= Sql.update(connection, """
                        DELETE FROM metric_points WHERE metric = ? AND step IN (SELECT step FROM
                            (SELECT step, ROW_NUMBER() OVER (ORDER BY step) AS place FROM metric_points WHERE metric = ?)
                                AS numbered WHERE place % 2 = 0)""", row.number(), row.number());
                stride *= 2;
            }
            row = new Row(row.number(), points, stride, row.received(), row.last());
        }
        return row;
    }

    /// The metrics of a job, in the order in which they were first published.
    ///
    /// @param most the maximum number of points of each, evenly chosen, and the last one
    List<MetricPoints> of(String job, int most) throws SQLException {
        List<MetricPoints> all = new ArrayList<>();
        for (var metric : rows(job).entrySet()) {
            all.add(of(metric.getKey(), metric.getValue(), most));
        }
        return all;
    }

    /// Reads the metrics of a job with all stored points, one by one.
    void each(String job, Consumer<MetricPoints> reader) throws SQLException {
        for (var metric : rows(job).entrySet()) {
            reader.accept(of(metric.getKey(), metric.getValue(), MAX_POINTS));
        }
    }

    private MetricPoints of(String name, Row row, int most) throws SQLException {
        List<Point> points = Sql.list(
                connection,
                """
                SELECT step, millis, value FROM
                    (SELECT step, millis, value, ROW_NUMBER() OVER (ORDER BY step) - 1 AS place FROM metric_points
                        WHERE metric = ?) AS numbered
                WHERE place % ? = 0 ORDER BY step""",
                List.of(row.number(), Math.max(1, Math.ceilDiv(row.points(), (long) most))),
                found -> new Point(found.getLong(1), found.getLong(2), found.getDouble(3)));
        if (points.isEmpty() || points.getLast().step() < row.last().step()) {
            points.add(row.last());
        }
        return new MetricPoints(
                name, row.last().step(), row.last().value(), row.last().millis(), points);
    }

    /// The number of points of unknown jobs after deleting the metrics that were received first, if there are too many.
    long limitUnknown() throws SQLException {
        List<Long> dropped = new ArrayList<>();
        long[] kept = {0};
        Sql.each(connection, """
                SELECT number, points FROM metrics WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.job = metrics.job)
                ORDER BY number DESC""", 0, List.of(), row -> {
            if (!dropped.isEmpty() || kept[0] + row.getLong(2) > MAX_UNKNOWN / 2) {
                dropped.add(row.getLong(1));
            } else {
                kept[0] += row.getLong(2);
            }
        });
        for (long metric : dropped) {
            Sql.update(connection, "DELETE FROM metric_points WHERE metric = ?", metric);
            Sql.update(connection, "DELETE FROM metrics WHERE number = ?", metric);
        }
        return kept[0];
    }

    /// Deletes the metrics of a job.
    void forget(String job) throws SQLException {
        Sql.update(
                connection,
                "DELETE FROM metric_points WHERE metric IN (SELECT number FROM metrics WHERE job = ?)",
                job);
        Sql.update(connection, "DELETE FROM metrics WHERE job = ?", job);
    }
}
