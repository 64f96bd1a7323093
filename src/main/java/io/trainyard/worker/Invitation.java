package io.trainyard.worker;

import io.trainyard.custody.Rank;
import io.trainyard.event.WorkerStatus;
import java.util.Comparator;

/// A job for which other workers are wanted, as its worker's newest heartbeat says.
///
/// @param leader who has the job
/// @param heartbeat differs from one heartbeat to the next
record Invitation(String leader, WorkerStatus.Gathering gathering, long heartbeat) {
    /// Whose turn it is, where there are several: the same for all who look. Later attempts come later, so that one
    /// that
    /// waited in vain lets others go first; of equal ones neither is always before the other.
    static final Comparator<Invitation> ORDER = Comparator.comparingInt((Invitation one) -> one.gathering.attempt())
            .thenComparingLong(one -> Rank.weight("attempt-" + one.gathering.attempt(), one.job()))
            .thenComparing(Invitation::job);

    String job() {
        return gathering.job();
    }

    boolean isBefore(Invitation other) {
        return ORDER.compare(this, other) < 0;
    }
}
