package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import org.jspecify.annotations.Nullable;

/// Scratch memory, mainly of cuDNN's algorithms, in the size of the largest request. Layers run one after another
/// and share it; forked work ([Gpu#fork]) runs concurrently and has its own.
public final class Workspace {
    private final Gpu gpu;
    private long bytes;
    private long forkedBytes;
    private long counters;
    private @Nullable Buffer buffer;
    private @Nullable Buffer ofForked;
    private @Nullable Buffer counting;

    public Workspace(Gpu gpu) {
        this.gpu = gpu;
    }

    /// @param forked whether forked work requires it
    void require(long more, boolean forked) {
        if (forked && gpu.forks()) {
            forkedBytes = Math.max(forkedBytes, more);
        } else {
            bytes = Math.max(bytes, more);
        }
    }

    /// @param more numbers that are 0 when a kernel begins; not for forked work
    void requireCounters(int more) {
        counters = Math.max(counters, more);
    }

    /// Called after all layers have stated their requirements.
    public void reserve(Arena arena) {
        buffer = arena.reserve(bytes, "the workspace of the layers");
        ofForked = arena.reserve(forkedBytes, "the workspace of gradients of weights");
        counting = arena.reserve(counters * Integer.BYTES, "the counters of the layers");
    }

    /// The workspace of the current stream.
    ///
    /// @throws IllegalStateException if it has not been reserved
    Buffer buffer() {
        return reserved(gpu.isForked() ? ofForked : buffer);
    }

    /// Counters of ints; kernels reset them to 0.
    ///
    /// @throws IllegalStateException if they have not been reserved
    Buffer counters() {
        return reserved(counting);
    }

    private static Buffer reserved(@Nullable Buffer buffer) {
        if (buffer == null) {
            throw new IllegalStateException("the workspace is used before it was reserved");
        }
        return buffer;
    }
}
