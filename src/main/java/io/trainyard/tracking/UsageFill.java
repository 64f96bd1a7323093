package io.trainyard.tracking;

import io.trainyard.event.DeviceUse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Tells a store that is older than its tables of device-hours what it missed: it is in what was told of the jobs.
final class UsageFill {
    private static final int AT_ONCE = 500;

    /// What databases have no text for stands so; no job that a worker has taken is called that.
    private static final char UNSTORABLE = '\uFFFD';

    private final Database database;

    UsageFill(Database database) {
        this.database = database;
    }

    void run() {
        for (long after = 0; ; ) {
            long last = after;
            List<Long> jobs = database.read(connection -> new UsageTables(connection).missing(last, AT_ONCE));
            if (jobs.isEmpty()) {
                return;
            }
            Map<Long, List<DeviceUse>> uses = new HashMap<>();
            jobs.forEach(job -> uses.put(job, uses(job)));
            database.write(connection -> {
                new UsageTables(connection).put(uses);
                return uses;
            });
            after = jobs.getLast();
        }
    }

    /// None where what was told cannot be read: a store is not kept closed for that.
    private List<DeviceUse> uses(long job) {
        try {
            return database.read(connection -> {
                String name = new JobTables(connection).name(job);
                return name.indexOf(UNSTORABLE) >= 0
                        ? List.of()
                        : new NewsTable(connection).state(name, job).deviceUses();
            });
        } catch (TrackingException _) {
            return List.of();
        }
    }
}
