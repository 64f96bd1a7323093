package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.spec.Network;

/// The number of steps recorded as one graph: enough that the graph takes much longer than its launch, by a rule
/// without timing (docs/contributing/decisions/24-multi-step-graphs.md). The number does not affect results.
final class StepsPerGraph {
    /// A launch and the gap between two graphs, about 10 microseconds, are a hundredth of it.
    private static final double GRAPH_MICROS = 1000;

    private static final int MOST = 16;

    /// A small kernel and the gap to the next.
    private static final double NODE_MICROS = 2;

    /// A GPU's memory bandwidth: 3 TB/s.
    private static final double BYTES_PER_MICRO = 3e6;

    /// A GPU's arithmetic: 60 TFLOP/s, with two operations in a multiply-add.
    private static final double MULTIPLY_ADDS_PER_MICRO = 3e7;

    /// Number of times a step reads or writes a layer's output or its gradient.
    private static final int PASSES = 8;

    /// Number of times a step reads or writes a parameter, its gradient, or its optimizer state.
    private static final int PARAMETER_PASSES = 8;

    private StepsPerGraph() {}

    /// @param nodes of a step's graph
    /// @param valueBytes of an activation value
    /// @return a power of two: the smallest that makes the graph long enough, up to sixteen
    static int of(int nodes, Workload workload, int valueBytes) {
        Network network = workload.network();
        double bytes = (double) PASSES * workload.batchSize() * network.activationElements() * valueBytes
                + (double) PARAMETER_PASSES * network.parameterElements() * Float.BYTES;
        double multiplyAdds = (double) workload.batchSize() * network.trainingMultiplyAdds();
        double stepMicros = nodes * NODE_MICROS + bytes / BYTES_PER_MICRO + multiplyAdds / MULTIPLY_ADDS_PER_MICRO;
        int steps = 1;
        while (steps < MOST && steps * stepMicros < GRAPH_MICROS) {
            steps *= 2;
        }
        return steps;
    }

    /// Limits `wanted` to the full batches of an epoch, to the steps that are sent ahead at a time, and to whole
    /// groups of batches that share an optimizer step, so that these steps are known when the graph is recorded.
    ///
    /// @param sentAtOnce steps
    static int possible(int wanted, Workload workload, int sentAtOnce) {
        int full = workload.dataset().train().size() / workload.batchSize();
        int most = Math.min(wanted, Math.min(full, sentAtOnce));
        int group = workload.loop().accumulateSteps();
        return Math.max(1, most - most % group);
    }
}
