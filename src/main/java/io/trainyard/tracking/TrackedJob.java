package io.trainyard.tracking;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.HashMap;
import java.util.Map;

/// A job's number in the store, its state, and an estimate of the heap that it uses. If a job exceeds its
/// limit, only its further large records are dropped, so other jobs are not affected. Not thread-safe.
final class TrackedJob {
    /// The cached jobs may use one sixth of the heap, and one job half of that.
    private static final int PART_OF_HEAP = 6;

    private static final int PART_OF_ALL = 2;

    private static final long LEAST = 8L << 20;
    private static final long MOST = 256L << 20;

    /// Limit of all cached jobs together, in bytes.
    static final long ALL_BYTES = Math.clamp(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, LEAST, MOST);

    /// Limit of one job, in bytes.
    static final long MAX_BYTES = ALL_BYTES / PART_OF_ALL;

    /// Estimated ratio of a record's size on the heap to the size of its JSON.
    private static final int HEAP_OF_JSON = 4;

    /// Estimated size of a small record on the heap, in bytes.
    private static final int SMALL = 200;

    /// Records up to this size are always stored, in bytes.
    private static final int ALWAYS = 4096;

    private final long number;
    private final JobState state;
    private final long most;

    /// Sizes of the records that replace an earlier one: an attempt's start, its last test, the command.
    private final Map<String, Long> largest = new HashMap<>();

    private long bytes = SMALL;

    TrackedJob(long number, JobState state) {
        this(number, state, MAX_BYTES);
    }

    /// @param most bytes of heap that the job may take
    TrackedJob(long number, JobState state, long most) {
        this.number = number;
        this.state = state;
        this.most = most;
    }

    long number() {
        return number;
    }

    JobState state() {
        return state;
    }

    long bytes() {
        return bytes;
    }

    boolean isFull() {
        return bytes > most;
    }

    /// Applies a record.
    ///
    /// @param length the length of its JSON; 0 for losses
    /// @return false if the job has reached its limit and the record was dropped
    boolean take(JobRecord jobRecord, int length) {
        if (isFull() && length > ALWAYS) {
            return false;
        }
        state.apply(jobRecord);
        switch (jobRecord) {
            case Requested _ -> weigh("command", length);
            case Rejected _ -> weigh("refusal", length);
            case EventRecord happened -> weigh(happened.event(), length);
        }
        return true;
    }

    private void weigh(TrainingEvent event, int length) {
        switch (event) {
            case Started started -> weigh("start " + started.attempt(), length);
            case EpochTested tested -> {
                bytes += SMALL;
                weigh("test " + tested.attempt(), length);
            }
            case StepLosses _ -> {} // only the last one is kept
            default -> bytes += SMALL + length;
        }
    }

    private void weigh(String what, int length) {
        long its = (long) HEAP_OF_JSON * length;
        long before = largest.getOrDefault(what, 0L);
        if (its > before) {
            bytes += its - before;
            largest.put(what, its);
        }
    }
}
