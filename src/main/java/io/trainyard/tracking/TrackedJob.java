package io.trainyard.tracking;

import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.HashMap;
import java.util.Map;

/// A job's number in the store, where it stands, and about how much heap that takes. A job whose records would take
/// more
/// than one job may keeps what it has: its larger records are left out, so it costs itself and no other. Not
/// thread-safe.
final class TrackedJob {
    /// Of the heap, what all remembered jobs together may take, and one alone.
    private static final int PART_OF_HEAP = 6;

    private static final int PART_OF_ALL = 2;

    private static final long LEAST = 8L << 20;
    private static final long MOST = 256L << 20;

    /// Of all jobs that are remembered, in bytes.
    static final long ALL_BYTES = Math.clamp(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, LEAST, MOST);

    /// Of one job.
    static final long MAX_BYTES = ALL_BYTES / PART_OF_ALL;

    /// Objects of a job take so many times the bytes of its JSON.
    private static final int HEAP_OF_JSON = 4;

    /// Of what is kept of a small record.
    private static final int SMALL = 200;

    /// A record of so many bytes is taken in however much the job has.
    private static final int ALWAYS = 4096;

    private final long number;
    private final JobState state;
    private final long most;

    /// What only the newest or the largest record of a kind takes: an attempt's start, its last test, the command.
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

    /// Takes in a record.
    ///
    /// @param length of its JSON; 0 of losses
    /// @return false where the job has too much already: it is left out
    boolean take(JobNews news, int length) {
        if (isFull() && length > ALWAYS) {
            return false;
        }
        state.apply(news);
        switch (news) {
            case Requested _ -> weigh("command", length);
            case Rejected _ -> weigh("refusal", length);
            case Happened happened -> weigh(happened.event(), length);
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
            case StepLosses _ -> {} // of all the last one is kept
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
