package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;

/// Which jobs are trained by `step.cu`, whole steps in one kernel on a few multiprocessors, and which by a graph of
/// kernels that each have the whole GPU. A rule on sizes and not on measured time, because the choice decides the last
/// bits of the results; where its numbers come from is in decision 26.
///
/// @param blocks of threads in the kernel, one on each multiprocessor it has; 0: no job is trained so
record StepKernelRule(int blocks) {
    /// The compute capability from which on blocks can be a cluster.
    private static final int HOPPER = 90;

    /// Blocks of a cluster, as `step.cu` has it.
    static final int CLUSTER = 8;

    static final StepKernelRule NEVER = new StepKernelRule(0);

    /// Multiplications of a whole step that a block does in some 40 microseconds, what a graph of a small network is
    /// supposed to take whatever it multiplies.
    static final long MOST_MULTIPLY_ADDS = 2_000_000;

    /// Parameters that a block can read, change and write in a few microseconds, with all that the optimizer keeps.
    static final long MOST_PARAMETERS = 65_536;

    /// Values of a batch that stay in the level-2 cache of the smallest GPU, 4 MiB, beside their gradients.
    static final long MOST_VALUES = 400_000;

    /// @param architecture 90 for compute capability 9.0
    static StepKernelRule of(int architecture) {
        return new StepKernelRule(architecture >= HOPPER ? CLUSTER : 1);
    }

    boolean takes(Workload workload) {
        boolean asked = workload.trains()
                && workload.precision() != Precision.BF16
                && workload.loop().isPlain();
        return asked
                && StepStage.of(workload.network()).isPresent()
                && isSmall(workload.network(), workload.batchSize());
    }

    private boolean isSmall(Network network, int batchSize) {
        return batchSize * network.trainingMultiplyAdds() <= blocks * MOST_MULTIPLY_ADDS
                && network.parameterElements() <= blocks * MOST_PARAMETERS
                && batchSize * network.activationElements() <= MOST_VALUES;
    }
}
