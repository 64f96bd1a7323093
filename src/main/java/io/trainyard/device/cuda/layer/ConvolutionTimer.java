package io.trainyard.device.cuda.layer;

import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import java.util.List;
import jcuda.jcudnn.JCudnn;

/// Times plans for a convolution on zeros, before the session allocates its memory.
final class ConvolutionTimer {
    /// A plan replaces the heuristic's first only if it takes less than this share of its time. Otherwise, of two
    /// similarly fast ones, processes could choose differently.
    private static final float FASTER = 0.9f;

    private static final int RUNS = 3;

    private static final System.Logger LOG = System.getLogger(ConvolutionTimer.class.getName());

    private final Gpu gpu;
    private final Convolution convolution;
    private final Arena arena;
    private final Buffer x;
    private final Buffer w;
    private final Buffer y;
    private final Buffer workspace;
    private final Event begin;
    private final Event end;

    private ConvolutionTimer(Gpu gpu, Convolution convolution, long workspaceBytes) {
        this.gpu = gpu;
        this.convolution = convolution;
        arena = new Arena(gpu);
        x = buffer(convolution.bytes(convolution.x()));
        w = buffer(convolution.bytes(convolution.w()));
        y = buffer(convolution.bytes(convolution.y()));
        workspace = buffer(workspaceBytes);
        begin = gpu.timedEvent();
        end = gpu.timedEvent();
    }

    private Buffer buffer(long bytes) {
        return arena.reserve(bytes, "what convolutions are timed on");
    }

    /// The fastest, or the first if the GPU has not enough memory for timing.
    ///
    /// @param plans in the order of cuDNN's heuristic
    static ConvolutionPlan fastest(Gpu gpu, Convolution convolution, List<ConvolutionPlan> plans) {
        long workspaceBytes =
                plans.stream().mapToLong(ConvolutionPlan::workspaceBytes).max().orElseThrow();
        ConvolutionTimer timer = new ConvolutionTimer(gpu, convolution, workspaceBytes);
        try {
            timer.arena.allocate();
        } catch (DeviceMemoryException e) {
            return plans.getFirst();
        }
        try {
            return timer.fastest(plans);
        } finally {
            timer.arena.free();
        }
    }

    private ConvolutionPlan fastest(List<ConvolutionPlan> plans) {
        ConvolutionPlan best = plans.getFirst();
        float bestMillis = Float.POSITIVE_INFINITY;
        for (ConvolutionPlan plan : plans) {
            float millis = millis(plan);
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "device={0}: {1} takes {2} ms for {3}",
                    gpu,
                    plan.engine(),
                    Float.toString(millis),
                    convolution);
            if (millis < bestMillis) {
                best = plan;
                bestMillis = plan.equals(plans.getFirst()) ? FASTER * millis : millis;
            }
        }
        if (bestMillis == Float.POSITIVE_INFINITY) {
            run(best);
        }
        return best;
    }

    /// The shortest of several runs, after one that loads the code. Infinite if cuDNN refuses the plan that it
    /// made, so another is chosen. A lost context is an error.
    private float millis(ConvolutionPlan plan) {
        int status = plan.run(gpu, x, w, y, workspace);
        gpu.compute().synchronize();
        if (status != 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "device={0}: cuDNN''s {1} for {2} is left out: {3}",
                    gpu,
                    plan.engine(),
                    convolution,
                    JCudnn.cudnnGetErrorString(status));
            return Float.POSITIVE_INFINITY;
        }
        float shortest = Float.POSITIVE_INFINITY;
        for (int i = 0; i < RUNS; i++) {
            begin.record(gpu.compute());
            run(plan);
            end.record(gpu.compute());
            end.synchronize();
            shortest = Math.min(shortest, end.millisSince(begin));
        }
        return shortest;
    }

    private void run(ConvolutionPlan plan) {
        CudaStatus.dnn(
                plan.run(gpu, x, w, y, workspace), "cuDNN's %s, timed for %s".formatted(plan.engine(), convolution));
    }
}
