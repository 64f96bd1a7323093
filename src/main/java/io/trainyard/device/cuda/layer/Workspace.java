package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import org.jspecify.annotations.Nullable;

/// Scratch memory, of cuDNN's algorithms above all, as large as the greediest layer asks for. Layers run one after
/// the other and share it.
public final class Workspace {
    private long bytes;
    private long counters;
    private @Nullable Buffer buffer;
    private @Nullable Buffer counting;

    void require(long more) {
        bytes = Math.max(bytes, more);
    }

    /// @param more numbers that are 0 whenever a kernel begins
    void requireCounters(int more) {
        counters = Math.max(counters, more);
    }

    /// Once all layers have said what they require.
    public void reserve(Arena arena) {
        buffer = arena.reserve(bytes, "the workspace of the layers");
        counting = arena.reserve(counters * Integer.BYTES, "the counters of the layers");
    }

    /// @throws IllegalStateException if it was not reserved yet
    Buffer buffer() {
        return reserved(buffer);
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
