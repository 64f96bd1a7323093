package io.trainyard.custody;

import io.trainyard.topics.Priority;
import java.util.ArrayList;
import java.util.List;

/// In which order a claim loop looks for its next job: the most urgent first, but not always, so that nothing starves.
/// Of every [#CYCLE] jobs that a loop takes, one is looked for among the normal ones first, and one among the low
/// ones. So whatever else waits, at least one of so many is normal where normal ones wait, and one is low where low
/// ones do; what is not there to be taken leaves its turn to the most urgent.
///
/// A place that a job has left to an urgent one is kept: nothing else is looked for until one is taken, or somebody
/// lets go of the place. The urgent command may be on its way from a worker that was handed it and is busy, and the
/// job that made room must not be quicker.
///
/// What a loop takes next follows from how many it has taken: no clock is looked at, and loops need not agree.
/// Thread-safe: other threads have the jobs that make room, and see whether anything urgent waits still.
public final class ClaimOrder {
    /// After so many jobs all turns have come.
    public static final int CYCLE = 16;

    /// In the middle of a cycle, and at its end.
    private static final int NORMAL_TURN = CYCLE / 2 - 1;

    private static final int LOW_TURN = CYCLE - 1;

    private static final List<Priority> URGENT_FIRST = List.of(Priority.values());

    private long taken;
    private int kept; // places

    /// The order after so many jobs.
    public static List<Priority> after(long taken) {
        return switch ((int) (taken % CYCLE)) {
            case NORMAL_TURN -> first(Priority.NORMAL);
            case LOW_TURN -> first(Priority.LOW);
            default -> URGENT_FIRST;
        };
    }

    private static List<Priority> first(Priority first) {
        List<Priority> order = new ArrayList<>(URGENT_FIRST);
        order.remove(first);
        order.addFirst(first);
        return List.copyOf(order);
    }

    /// Things of one urgency each, in the order for the next job.
    ///
    /// @param byUrgency those of the most urgent first; the last may be missing
    public <T> List<T> of(List<T> byUrgency) {
        return now().stream()
                .map(Priority::ordinal)
                .filter(urgency -> urgency < byUrgency.size())
                .map(byUrgency::get)
                .toList();
    }

    /// The order for the next job.
    public synchronized List<Priority> now() {
        return kept > 0 ? List.of(Priority.HIGH) : after(taken);
    }

    /// A job was taken.
    public synchronized void took() {
        if (kept > 0) {
            kept--;
        } else {
            taken++;
        }
    }

    /// A job has made room for an urgent one: that comes next, whoever's turn it is.
    public synchronized void madeRoom() {
        kept++;
    }

    /// Whether a place is kept for an urgent job.
    public synchronized boolean keepsPlace() {
        return kept > 0;
    }

    /// Nothing urgent comes any more: the places are anyone's.
    public synchronized void letGo() {
        kept = 0;
    }
}
