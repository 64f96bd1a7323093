package io.trainyard.tracking;

import io.trainyard.event.JobRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Collects all items that a store returns one by one.
public final class Stored {
    private Stored() {}

    /// All records of a job except losses.
    public static List<JobRecord> jobRecords(TrackingStore store, String job) {
        List<JobRecord> jobRecords = new ArrayList<>();
        store.eachJobRecord(job, jobRecords::add);
        return jobRecords;
    }

    static Map<String, String> commands(TrackingStore store, JobQuery query) {
        Map<String, String> commands = new TreeMap<>();
        store.eachCommand(query, commands::put);
        return commands;
    }
}
