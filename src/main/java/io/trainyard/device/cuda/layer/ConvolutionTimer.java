package io.trainyard.device.cuda.layer;

import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Direction;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Operands;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Shapes;
import java.util.List;
import jcuda.jcudnn.JCudnn;

/// Times the algorithms of a convolution on zeros, before the session allocates its memory.
final class ConvolutionTimer {
    /// An algorithm replaces the heuristic's first only if it takes less than this share of its time. Otherwise, of
    /// two similarly fast ones, processes could choose differently.
    private static final float FASTER = 0.9f;

    private static final int RUNS = 3;

    private static final System.Logger LOG = System.getLogger(ConvolutionTimer.class.getName());

    private final Gpu gpu;
    private final Direction direction;
    private final Shapes shapes;
    private final Arena arena;
    private final Operands operands;
    private final Event begin;
    private final Event end;

    private ConvolutionTimer(Gpu gpu, Direction direction, Shapes shapes, long workspaceBytes) {
        this.gpu = gpu;
        this.direction = direction;
        this.shapes = shapes;
        this.arena = new Arena(gpu);
        this.operands = Operands.of(
                direction,
                buffer(shapes.bytes().x()),
                buffer(shapes.bytes().w()),
                buffer(shapes.bytes().y()),
                buffer(workspaceBytes));
        this.begin = gpu.timedEvent();
        this.end = gpu.timedEvent();
    }

    private Buffer buffer(long bytes) {
        return arena.reserve(bytes, "what convolutions are timed on");
    }

    /// The fastest, or the first if the GPU has not enough memory for timing.
    ///
    /// @param candidates in the order of cuDNN's heuristic
    static ConvolutionAlgorithm fastest(
            Gpu gpu, Direction direction, Shapes shapes, List<ConvolutionAlgorithm> candidates) {
        long workspaceBytes = candidates.stream()
                .mapToLong(ConvolutionAlgorithm::workspaceBytes)
                .max()
                .orElseThrow();
        ConvolutionTimer timer = new ConvolutionTimer(gpu, direction, shapes, workspaceBytes);
        try {
            timer.arena.allocate();
        } catch (DeviceMemoryException e) {
            return candidates.getFirst();
        }
        try {
            return timer.fastest(candidates);
        } finally {
            timer.arena.free();
        }
    }

    private ConvolutionAlgorithm fastest(List<ConvolutionAlgorithm> candidates) {
        ConvolutionAlgorithm best = candidates.getFirst();
        float bestMillis = Float.POSITIVE_INFINITY;
        for (ConvolutionAlgorithm candidate : candidates) {
            float millis = millis(candidate);
            if (millis < bestMillis) {
                best = candidate;
                bestMillis = candidate.equals(candidates.getFirst()) ? FASTER * millis : millis;
            }
        }
        if (bestMillis == Float.POSITIVE_INFINITY) {
            run(best);
        }
        return best;
    }

    /// The shortest of several runs, after one that loads the code. Infinite if cuDNN refuses the algorithm that
    /// its heuristic named, so another is chosen. A lost context is an error.
    private float millis(ConvolutionAlgorithm algorithm) {
        int status = algorithm.run(gpu, direction, shapes, operands);
        gpu.compute().synchronize();
        if (status != 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "device={0}: algorithm {1} of cuDNN for {2} is left out: {3}",
                    gpu,
                    algorithm.number(),
                    direction,
                    JCudnn.cudnnGetErrorString(status));
            return Float.POSITIVE_INFINITY;
        }
        float shortest = Float.POSITIVE_INFINITY;
        for (int i = 0; i < RUNS; i++) {
            begin.record(gpu.compute());
            run(algorithm);
            end.record(gpu.compute());
            end.synchronize();
            shortest = Math.min(shortest, end.millisSince(begin));
        }
        return shortest;
    }

    private void run(ConvolutionAlgorithm algorithm) {
        CudaStatus.dnn(
                algorithm.run(gpu, direction, shapes, operands),
                "algorithm %d of cuDNN, timed for %s".formatted(algorithm.number(), direction));
    }
}
