package io.trainyard.tracking;

import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobState.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The tables of the time that devices were at work, in one transaction. Jobs that were trained elsewhere used no device
/// of the fleet.
///
/// @param connection of that transaction
record UsageTables(Connection connection) {
    private static final long DAY_MILLIS = 24 * 60 * 60 * 1000;

    /// PostgreSQL sends all rows at once unless told how many.
    private static final int FETCHED_ROWS = 1000;

    private static final String USES = """
            SELECT uses.device, jobs.dataset, jobs.network, jobs.status, uses.worker,
                uses.devices, uses.start_millis, uses.end_millis, uses.first, uses.lost
            FROM device_uses uses JOIN jobs ON jobs.number = uses.job
            """;

    /// What time is told by; empty where it is not known.
    private record Of(String device, String dataset, String network, Status status, String worker) {
        static Of read(ResultSet row) throws SQLException {
            return new Of(
                    row.getString(1),
                    known(row.getString(2)),
                    known(row.getString(3)),
                    Status.valueOf(row.getString(4)),
                    row.getString(5));
        }

        private static String known(@Nullable String name) {
            return name == null ? "" : name;
        }

        Usage usage(long deviceMillis, long lostMillis, long jobs, long attempts) {
            return new Usage(deviceMillis, status == Status.FAILED ? deviceMillis : 0, lostMillis, jobs, attempts);
        }
    }

    /// What falls on a day.
    private interface DayReader {
        void take(Of of, long day, Usage usage) throws SQLException;
    }

    /// Writes rows, or writes them anew.
    ///
    /// @param uses by the jobs' numbers
    void put(Map<Long, List<DeviceUse>> uses) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO device_uses (job, attempt, first, worker, device, devices, start_millis, end_millis, lost)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (job, attempt) DO UPDATE SET first = excluded.first, worker = excluded.worker,
                    device = excluded.device, devices = excluded.devices, start_millis = excluded.start_millis,
                    end_millis = excluded.end_millis, lost = excluded.lost""")) {
            for (var job : uses.entrySet()) {
                for (DeviceUse use : job.getKey() > 0 ? job.getValue() : List.<DeviceUse>of()) {
                    insert.setLong(1, job.getKey());
                    insert.setInt(2, use.attempt());
                    insert.setInt(3, use.first() ? 1 : 0);
                    insert.setString(4, Database.text(use.worker()));
                    insert.setString(5, Database.text(use.kind()));
                    insert.setInt(6, use.devices());
                    insert.setLong(7, use.startMillis());
                    insert.setLong(8, use.endMillis());
                    insert.setInt(9, use.lost() ? 1 : 0);
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
    }

    /// Jobs with greater numbers that were claimed and have no row here, in order.
    List<Long> missing(long after, int most) throws SQLException {
        return Sql.numbers(connection, """
                SELECT number FROM jobs WHERE number > ? AND start_millis > 0
                    AND NOT EXISTS (SELECT 1 FROM device_uses WHERE device_uses.job = jobs.number)
                ORDER BY number LIMIT ?""", List.of(after, most));
    }

    /// The time on some days, by what is asked for; what is not known is under the empty text.
    SortedMap<String, Usage> usage(UsageQuery query) throws SQLException {
        SortedMap<String, Usage> found = new TreeMap<>();
        long first = query.from().toEpochDay();
        long last = query.to().toEpochDay();
        DayReader reader = (of, day, usage) -> {
            if (day >= first && day <= last) {
                found.merge(key(query.by(), of, day), usage, Usage::plus);
            }
        };
        uses("WHERE uses.end_millis >= ? AND uses.start_millis < ?", reader, first * DAY_MILLIS, (last + 1) * DAY_MILLIS);
        forgotten(first, last, reader);
        return found;
    }

    private static String key(UsageQuery.By by, Of of, long day) {
        return switch (by) {
            case DAY -> LocalDate.ofEpochDay(day).toString();
            case DEVICE -> of.device();
            case DATASET -> of.dataset();
            case NETWORK -> of.network();
            case WORKER -> of.worker();
            case STATE -> of.status().word();
        };
    }

    private void uses(String which, DayReader reader, Object... values) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(USES + which)) {
            Sql.set(select, List.of(values));
            select.setFetchSize(FETCHED_ROWS);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    eachDay(rows, reader);
                }
            }
        }
    }

    private static void eachDay(ResultSet row, DayReader reader) throws SQLException {
        Of of = Of.read(row);
        int devices = row.getInt(6);
        long start = row.getLong(7);
        long end = row.getLong(8);
        int first = row.getInt(9);
        boolean lost = row.getInt(10) == 1;
        long firstDay = start / DAY_MILLIS;
        for (long day = firstDay; day == firstDay || day * DAY_MILLIS < end; day++) {
            long millis = devices * (Math.min(end, (day + 1) * DAY_MILLIS) - Math.max(start, day * DAY_MILLIS));
            boolean begins = day == firstDay;
            reader.take(of, day, of.usage(millis, lost ? millis : 0, begins ? first : 0, begins ? 1 : 0));
        }
    }

    private void forgotten(long first, long last, DayReader reader) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT device, dataset, network, status, '', day, device_millis, lost_millis, jobs, attempts
                FROM forgotten_uses WHERE day BETWEEN ? AND ?""")) {
            select.setLong(1, first);
            select.setLong(2, last);
            select.setFetchSize(FETCHED_ROWS);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    Of of = Of.read(rows);
                    reader.take(
                            of,
                            rows.getLong(6),
                            of.usage(rows.getLong(7), rows.getLong(8), rows.getLong(9), rows.getLong(10)));
                }
            }
        }
    }

    /// Adds a job's time to that of the jobs that are forgotten, before its rows are removed.
    void forget(long job) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO forgotten_uses
                    (device, dataset, network, status, day, device_millis, lost_millis, jobs, attempts)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (day, device, dataset, network, status) DO UPDATE SET
                    device_millis = forgotten_uses.device_millis + excluded.device_millis,
                    lost_millis = forgotten_uses.lost_millis + excluded.lost_millis,
                    jobs = forgotten_uses.jobs + excluded.jobs,
                    attempts = forgotten_uses.attempts + excluded.attempts""")) {
            uses("WHERE uses.job = ?", (of, day, usage) -> {
                insert.setString(1, of.device());
                insert.setString(2, of.dataset());
                insert.setString(3, of.network());
                insert.setString(4, of.status().name());
                insert.setLong(5, day);
                insert.setLong(6, usage.deviceMillis());
                insert.setLong(7, usage.lostMillis());
                insert.setLong(8, usage.jobs());
                insert.setLong(9, usage.attempts());
                insert.executeUpdate();
            }, job);
        }
    }
}
