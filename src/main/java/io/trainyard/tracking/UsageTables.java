package io.trainyard.tracking;

import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobState.Status;
import io.trainyard.tracking.UsageQuery.By;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Accesses the tables of device time in one transaction. Imported jobs used no device of the fleet, so they
/// are skipped.
record UsageTables(Connection connection) {
    private static final long DAY_MILLIS = 24 * 60 * 60 * 1000;

    /// Without a fetch size, PostgreSQL sends all rows at once.
    private static final int FETCHED_ROWS = 1000;

    /// The totals of uses within one day and of deleted jobs, by group and status.
    private static final String WITHIN_A_DAY = """
            SELECT %s, jobs.status, SUM(uses.devices * (uses.end_millis - uses.start_millis)),
                SUM(uses.lost * uses.devices * (uses.end_millis - uses.start_millis)), SUM(uses.first), COUNT(*)
            FROM device_uses uses JOIN jobs ON jobs.number = uses.job
            WHERE uses.start_millis >= ? AND uses.end_millis >= ? AND uses.end_millis < ?
                AND uses.start_millis / 86400000 = uses.end_millis / 86400000
            GROUP BY 1, 2
            UNION ALL
            SELECT %s, status, SUM(device_millis), SUM(lost_millis), SUM(jobs), SUM(attempts)
            FROM forgotten_uses WHERE day BETWEEN ? AND ? GROUP BY 1, 2""";

    private static final String OVER_MIDNIGHT = """
            SELECT %s, jobs.status, uses.devices, uses.start_millis, uses.end_millis, uses.first, uses.lost
            FROM device_uses uses JOIN jobs ON jobs.number = uses.job
            WHERE uses.end_millis >= ? AND uses.start_millis < ?
                AND uses.start_millis / 86400000 <> uses.end_millis / 86400000""";

    private static final String OF_A_JOB = """
            SELECT uses.device, jobs.status, uses.devices, uses.start_millis, uses.end_millis, uses.first, uses.lost,
                COALESCE(jobs.dataset, ''), COALESCE(jobs.network, '')
            FROM device_uses uses JOIN jobs ON jobs.number = uses.job WHERE uses.job = ?""";

    private static final String ADD_FORGOTTEN = """
            INSERT INTO forgotten_uses
                (device, status, dataset, network, day, device_millis, lost_millis, jobs, attempts)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (day, device, dataset, network, status) DO UPDATE SET
                device_millis = forgotten_uses.device_millis + excluded.device_millis,
                lost_millis = forgotten_uses.lost_millis + excluded.lost_millis,
                jobs = forgotten_uses.jobs + excluded.jobs,
                attempts = forgotten_uses.attempts + excluded.attempts""";

    /// Receives the part of a use that falls on a day.
    private interface DayReader {
        void take(long day, DeviceTime usage) throws SQLException;
    }

    /// Inserts or updates rows.
    ///
    /// @param uses by the jobs' numbers
    void put(Map<Long, List<DeviceUse>> uses) throws SQLException {
        List<List<?>> rows = new ArrayList<>();
        uses.forEach((job, its) -> {
            if (job > 0) {
                its.forEach(use -> rows.add(List.of(
                        job,
                        use.attempt(),
                        use.first() ? 1 : 0,
                        use.worker(),
                        use.kind(),
                        use.devices(),
                        use.startMillis(),
                        use.endMillis(),
                        use.lost() ? 1 : 0)));
            }
        });
        Sql.batch(connection, """
                INSERT INTO device_uses (job, attempt, first, worker, device, devices, start_millis, end_millis, lost)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (job, attempt) DO UPDATE SET first = excluded.first, worker = excluded.worker,
                    device = excluded.device, devices = excluded.devices, start_millis = excluded.start_millis,
                    end_millis = excluded.end_millis, lost = excluded.lost""", rows);
    }

    /// Device time on the days of the query, by group. Unknown values are under the empty text.
    SortedMap<String, DeviceTime> usage(UsageQuery query) throws SQLException {
        SortedMap<String, DeviceTime> found = new TreeMap<>();
        addWithinADay(query, found);
        addOverMidnight(query, found);
        return found;
    }

    private void addWithinADay(UsageQuery query, Map<String, DeviceTime> found) throws SQLException {
        long first = query.from().toEpochDay();
        long last = query.to().toEpochDay();
        String sql = WITHIN_A_DAY.formatted(query.by().column(), query.by().forgottenColumn());
        long from = first * DAY_MILLIS;
        Sql.each(connection, sql, FETCHED_ROWS, List.of(from, from, (last + 1) * DAY_MILLIS, first, last), row -> {
            long millis = row.getLong(3);
            long failed = isFailed(row) ? millis : 0;
            found.merge(
                    key(query.by(), row.getString(1)),
                    new DeviceTime(millis, failed, row.getLong(4), row.getLong(5), row.getLong(6)),
                    DeviceTime::plus);
        });
    }

    private void addOverMidnight(UsageQuery query, Map<String, DeviceTime> found) throws SQLException {
        long first = query.from().toEpochDay();
        long last = query.to().toEpochDay();
        String sql = OVER_MIDNIGHT.formatted(query.by().column());
        Sql.each(connection, sql, FETCHED_ROWS, List.of(first * DAY_MILLIS, (last + 1) * DAY_MILLIS), row -> {
            String value = row.getString(1);
            eachDay(row, (day, usage) -> {
                if (day >= first && day <= last) {
                    String its = query.by() == By.DAY ? Long.toString(day) : value;
                    found.merge(key(query.by(), its), usage, DeviceTime::plus);
                }
            });
        });
    }

    private static String key(By by, String value) {
        return switch (by) {
            case DAY -> LocalDate.ofEpochDay(Long.parseLong(value)).toString();
            case STATE -> Status.valueOf(value).word();
            case DEVICE, DATASET, NETWORK, WORKER -> value;
        };
    }

    /// Splits a use into days.
    ///
    /// @param row from its second column on: status, devices, start, end, whether it is the first, whether it
    ///     is lost
    private static void eachDay(ResultSet row, DayReader reader) throws SQLException {
        boolean failed = isFailed(row);
        int devices = row.getInt(3);
        long start = row.getLong(4);
        long end = row.getLong(5);
        int first = row.getInt(6);
        boolean lost = row.getInt(7) == 1;
        long firstDay = start / DAY_MILLIS;
        for (long day = firstDay; day == firstDay || day * DAY_MILLIS < end; day++) {
            long millis = devices * (Math.min(end, (day + 1) * DAY_MILLIS) - Math.max(start, day * DAY_MILLIS));
            boolean begins = day == firstDay;
            reader.take(
                    day,
                    new DeviceTime(millis, failed ? millis : 0, lost ? millis : 0, begins ? first : 0, begins ? 1 : 0));
        }
    }

    private static boolean isFailed(ResultSet row) throws SQLException {
        return row.getString(2).equals(Status.FAILED.name());
    }

    /// Adds a job's device time to the totals of deleted jobs. To be called before its rows are deleted.
    void forget(long job) throws SQLException {
        Sql.each(connection, OF_A_JOB, 0, List.of(job), row -> {
            List<String> alike = List.of(row.getString(1), row.getString(2), row.getString(8), row.getString(9));
            eachDay(row, (day, usage) -> {
                List<Object> values = new ArrayList<>(alike);
                values.addAll(List.of(day, usage.deviceMillis(), usage.lostMillis(), usage.jobs(), usage.attempts()));
                Sql.update(connection, ADD_FORGOTTEN, values.toArray()); // one by one because a day may occur twice
            });
        });
    }
}
