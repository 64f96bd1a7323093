package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.spec.Network;

/// How many steps are recorded as one graph: so many that the graph is long beside what its launch takes, by a rule on
/// what is known without measuring ([decision 24](../../../../../../../docs/decisions/24-several-steps-a-graph.md)).
/// How many there are changes no bit.
final class StepsPerGraph {
    /// A launch, and the gap between two graphs, of some 10 microseconds are a hundredth of it.
    private static final double GRAPH_MICROS = 1000;

    private static final int MOST = 16;

    /// A small kernel, and the way to the next.
    private static final double NODE_MICROS = 2;

    /// Of a GPU's memory: 3 TB/s.
    private static final double BYTES_PER_MICRO = 3e6;

    /// Of a GPU's arithmetic: 60 TFLOP/s, a multiplication with its addition is two.
    private static final double MULTIPLY_ADDS_PER_MICRO = 3e7;

    /// How often a step reads or writes a layer's output or its gradient.
    private static final int PASSES = 8;

    /// How often a parameter, its gradient, or what the optimizer keeps of it.
    private static final int PARAMETER_PASSES = 8;

    private StepsPerGraph() {}

    /// @param nodes of a step's graph
    /// @param valueBytes of a value of an activation
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

    /// The most of `wanted` that a graph can have: no more than an epoch has full batches, than are sent ahead at a
    /// time;
    /// and whole groups of batches that share a step of the optimizer, so that it is known which take one.
    ///
    /// @param sentAtOnce steps
    static int possible(int wanted, Workload workload, int sentAtOnce) {
        int full = workload.dataset().train().size() / workload.batchSize();
        int most = Math.min(wanted, Math.min(full, sentAtOnce));
        int group = workload.loop().accumulateSteps();
        return Math.max(1, most - most % group);
    }
}
