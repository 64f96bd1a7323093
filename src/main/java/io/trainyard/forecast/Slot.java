package io.trainyard.forecast;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A place for one job on a worker.
///
/// @param kind of device that a job gets that names none
/// @param lanes that its worker looks at
/// @param makesRoom whether its worker knows how a job makes room for an urgent one
/// @param effect how much longer than on any worker jobs take here, as a logarithm
/// @param effectDeviation how far that may be off
/// @param rest of the job that it has; null: none
/// @param task the job that it has, where more is known of it than that
record Slot(
        String worker,
        String kind,
        Set<Lane> lanes,
        boolean makesRoom,
        double effect,
        double effectDeviation,
        @Nullable Rest rest,
        @Nullable Task task) {
    /// The same, with a job.
    Slot with(Rest its, @Nullable Task job) {
        return new Slot(worker, kind, lanes, makesRoom, effect, effectDeviation, its, job);
    }
}
