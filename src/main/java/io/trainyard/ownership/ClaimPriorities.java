package io.trainyard.ownership;

import io.trainyard.topics.Priority;
import java.util.ArrayList;
import java.util.List;

/// The order of priorities in which a claim loop looks for its next job: high priority first, with exceptions
/// so that nothing starves. Of every [#CYCLE] jobs that a loop claims, it looks for one among the normal ones
/// first, and for one among the low ones. If such jobs wait, at least one in [#CYCLE] claims is normal and one
/// is low; a turn that finds nothing falls back to the highest priority.
///
/// After a preemption the place is kept: only high-priority commands are polled until one is claimed or the
/// place is released. The high-priority command may be on its way from a busy worker that prefetched it, and
/// the preempted job must not be faster.
///
/// The order depends on the number of claims only, not on a clock or on other loops. Thread-safe: slots report
/// preemptions, and another thread checks whether high-priority commands still wait.
public final class ClaimPriorities {
    /// The length of a cycle in claims.
    public static final int CYCLE = 16;

    /// In the middle of a cycle, and at its end.
    private static final int NORMAL_TURN = CYCLE / 2 - 1;

    private static final int LOW_TURN = CYCLE - 1;

    private static final List<Priority> HIGH_FIRST = List.of(Priority.values());

    private long claims;
    private int reserved; // places

    /// The order after this number of claims.
    public static List<Priority> after(long claims) {
        return switch ((int) (claims % CYCLE)) {
            case NORMAL_TURN -> first(Priority.NORMAL);
            case LOW_TURN -> first(Priority.LOW);
            default -> HIGH_FIRST;
        };
    }

    private static List<Priority> first(Priority first) {
        List<Priority> order = new ArrayList<>(HIGH_FIRST);
        order.remove(first);
        order.addFirst(first);
        return List.copyOf(order);
    }

    /// Sorts one item per priority into the order for the next claim.
    ///
    /// @param byPriority the highest priority first; the last may be missing
    public <T> List<T> of(List<T> byPriority) {
        return now().stream()
                .map(Priority::ordinal)
                .filter(level -> level < byPriority.size())
                .map(byPriority::get)
                .toList();
    }

    public synchronized List<Priority> now() {
        return reserved > 0 ? List.of(Priority.HIGH) : after(claims);
    }

    public synchronized void claimed() {
        if (reserved > 0) {
            reserved--;
        } else {
            claims++;
        }
    }

    public synchronized void preempted() {
        reserved++;
    }

    /// Whether a place is kept for a high-priority job.
    public synchronized boolean isPlaceReserved() {
        return reserved > 0;
    }

    /// No high-priority command is expected: any job may take the places.
    public synchronized void releasePlaces() {
        reserved = 0;
    }
}
