package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import org.jspecify.annotations.Nullable;

/// Scratch memory, of cuDNN's algorithms above all, as large as the greediest layer asks for. Layers run one after
/// the other and share it.
public final class Workspace {
    private long bytes;
    private @Nullable Buffer buffer;

    void require(long more) {
        bytes = Math.max(bytes, more);
    }

    /// Once all layers have said what they require.
    public void reserve(Arena arena) {
        buffer = arena.reserve(bytes, "the workspace of the layers");
    }

    /// @throws IllegalStateException if it was not reserved yet
    Buffer buffer() {
        Buffer reserved = buffer;
        if (reserved == null) {
            throw new IllegalStateException("the workspace is used before it was reserved");
        }
        return reserved;
    }
}
