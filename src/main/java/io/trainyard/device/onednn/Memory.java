package io.trainyard.device.onednn;

import io.trainyard.device.ShardRange;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.bytedeco.dnnl.dnnl_memory;

/// A tensor in native memory, owned by an [Engine].
///
/// @param data the values in the order of `layout`, 64-byte aligned, including padding
record Memory(Layout layout, dnnl_memory handle, MemorySegment data) {
    /// Fills it from the first of `values`, which may be longer; for plain layouts of float32.
    void write(float[] values) {
        MemorySegment.copy(values, 0, data, ValueLayout.JAVA_FLOAT, 0, Math.toIntExact(layout.elements()));
    }

    /// Fills the first of `values`, which may be longer, from it; for plain layouts of float32.
    void read(float[] values) {
        MemorySegment.copy(data, ValueLayout.JAVA_FLOAT, 0, values, 0, Math.toIntExact(layout.elements()));
    }

    /// Includes the layout's padding.
    long floats() {
        return data.byteSize() / Float.BYTES;
    }

    /// A part of the float32 elements in memory order.
    MemorySegment piece(ShardRange range) {
        return piece(data, range);
    }

    static MemorySegment piece(MemorySegment data, ShardRange range) {
        int floats = Math.toIntExact(data.byteSize() / Float.BYTES);
        return data.asSlice((long) range.begin(floats) * Float.BYTES, (long) range.size(floats) * Float.BYTES);
    }
}
