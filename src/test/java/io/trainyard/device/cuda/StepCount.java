package io.trainyard.device.cuda;

import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.cuda.layer.Numbers;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;

/// The GPU work of one training step, counted on the fake CUDA libraries. They skip the arithmetic of library
/// calls and record the bytes that kernels read and write (`src/test/native/driver/traffic.h`).
///
/// @param nodes of its graph
/// @param chain the longest chain of dependent nodes
/// @param bytes that its nodes read and write. A kernel counts each byte that it touches once per direction; a
///     library call counts its tensors once, without the workspace, because the algorithm's own traffic is
///     unknown
record StepCount(int nodes, int chain, long bytes) {
    private static final String COUNT = "TRAINYARD_FAKE_COUNT";
    private static final String MEMORY = "TRAINYARD_FAKE_MEMORY_BYTES";
    private static final OptimizerSpec MOMENTUM = new OptimizerSpec.Sgd(0.001, 0.9, 0);

    /// One of the built-in networks.
    record Case(String network, int batchSize, Precision precision, int trains) {
        Shape input() {
            return switch (network) {
                case "fashion" -> Shape.of(1, 28, 28);
                case "signs" -> Shape.of(3, 64, 64);
                default -> Shape.of(3, 32, 32);
            };
        }

        int stepsPerEpoch() {
            return Math.ceilDiv(trains, batchSize);
        }

        /// The steps per graph that the device would choose.
        int stepsPerGraph(int nodes) {
            return StepsPerGraph.of(
                    nodes, workload(batchSize), Numbers.of(precision).valueBytes());
        }

        private Workload workload(int samples) {
            int classes = network.equals("signs") ? 6 : 10;
            return CheckWorkload.of(
                            input(), classes, NetworkSpec.named(network).layers(), MOMENTUM, samples, samples, 1)
                    .withPrecision(precision);
        }
    }

    static StepCount of(Case counted) {
        return of(counted, counted.batchSize());
    }

    /// As [#of(Case)], for batches that would take too long: extrapolates linearly from two small batches.
    static StepCount continued(Case counted) {
        int few = 4;
        StepCount one = of(counted, few);
        StepCount two = of(counted, 2 * few);
        long more = (counted.batchSize() - few) / few * (two.bytes - one.bytes);
        return new StepCount(one.nodes, one.chain, one.bytes + more);
    }

    private static StepCount of(Case counted, int batchSize) {
        Workload workload = counted.workload(batchSize);
        FakeCudaLibraries.set(COUNT, "1");
        FakeCudaLibraries.set(MEMORY, Long.toString(8L << 30));
        try (LearningSession session = TestedCuda.device().open(workload)) {
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            FakeCudaLibraries.set(COUNT, "2");
            float[] _ = session.advance(1);
            return of(FakeCudaLibraries.traffic());
        } finally {
            FakeCudaLibraries.set(COUNT, "");
            FakeCudaLibraries.set(MEMORY, "");
        }
    }

    private static StepCount of(List<FakeCudaLibraries.Node> nodes) {
        return new StepCount(
                nodes.size(),
                nodes.stream().mapToInt(FakeCudaLibraries.Node::depth).max().orElseThrow(),
                nodes.stream().mapToLong(FakeCudaLibraries.Node::bytes).sum());
    }
}
