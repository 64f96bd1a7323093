package io.trainyard.device.vector;

import io.trainyard.device.StackingDevice.StackRoom;
import io.trainyard.device.Workload;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Precision;

/// Which sessions can be trained in a stack: those of small networks with convolutions.
/// Linear layers alone one model's kernels compute so well that bringing sessions together takes longer than it
/// saves. A rule on shapes and settings; no bits depend on it.
final class StackRule {
    /// Parameters of one model: 16 such models, with as much of what the optimizer keeps, have half of a
    /// second-level cache of 1 MiB. Larger ones pass through the third level in each step, and are faster one by
    /// one (decision 32).
    static final long MOST_PARAMETERS = 4096;

    /// Values of a batch between the layers, in all models of a stack, that fit beside them.
    static final long MOST_VALUES = 4096;

    /// A step of a whole stack takes as long as twelve of its sixteen models' by themselves.
    static final StackRoom ROOM =
            new StackRoom(Lanes.COUNT, 3 * Lanes.COUNT / 4, Runtime.getRuntime().availableProcessors());

    private StackRule() {}

    static boolean takes(Workload workload) {
        return workload.trains()
                && workload.precision() == Precision.FP32
                && workload.threads() <= 1
                && VectorDevice.computes(workload.network())
                && workload.network().layers().stream().anyMatch(layer -> layer.spec() instanceof Conv2d)
                && workload.network().parameterElements() <= MOST_PARAMETERS
                && workload.network().activationElements() <= MOST_VALUES;
    }
}
