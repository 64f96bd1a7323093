package io.trainyard.forecast;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A place for one job on a worker.
///
/// @param kind of device that a job gets that names none
/// @param lanes that its worker looks at
/// @param effect how much longer than on any worker jobs take here, as a logarithm
/// @param effectDeviation how far that may be off
/// @param rest of the job that it has; null: none
record Slot(
        String worker,
        String kind,
        Set<Lane> lanes,
        double effect,
        double effectDeviation,
        @Nullable Rest rest) {}
