package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import org.jspecify.annotations.Nullable;

/// Scratch memory, of cuDNN's algorithms above all, as large as the greediest layer asks for. Layers run one after
/// the other and share it; what is forked ([Gpu#fork]) runs beside them and has its own.
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

    /// @param forked whether it is work that is forked that requires it
    void require(long more, boolean forked) {
        if (forked && gpu.forks()) {
            forkedBytes = Math.max(forkedBytes, more);
        } else {
            bytes = Math.max(bytes, more);
        }
    }

    /// @param more numbers that are 0 whenever a kernel begins; for what is not forked
    void requireCounters(int more) {
        counters = Math.max(counters, more);
    }

    /// Once all layers have said what they require.
    public void reserve(Arena arena) {
        buffer = arena.reserve(bytes, "the workspace of the layers");
        ofForked = arena.reserve(forkedBytes, "the workspace of gradients of weights");
        counting = arena.reserve(counters * Integer.BYTES, "the counters of the layers");
    }

    /// That of the work which is enqueued now.
    ///
    /// @throws IllegalStateException if it was not reserved yet
    Buffer buffer() {
        return reserved(gpu.isForked() ? ofForked : buffer);
    }

    /// Of ints; who counts there leaves 0.
    ///
    /// @throws IllegalStateException if it was not reserved yet
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
