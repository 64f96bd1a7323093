package io.trainyard.device.onednn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.bytedeco.dnnl.dnnl_memory;

/// A tensor in native memory, which belongs to an [Engine].
///
/// @param data the float32 values as `layout` places them, 64-byte aligned, padding included
record Memory(Layout layout, dnnl_memory handle, MemorySegment data) {
    /// Fills it from the first of `values`, which may be more; for plain layouts.
    void write(float[] values) {
        MemorySegment.copy(values, 0, data, ValueLayout.JAVA_FLOAT, 0, Math.toIntExact(layout.elements()));
    }

    /// Fills the first of `values`, which may be more, from it; for plain layouts.
    void read(float[] values) {
        MemorySegment.copy(data, ValueLayout.JAVA_FLOAT, 0, values, 0, Math.toIntExact(layout.elements()));
    }

    /// Of the layout's padding, too.
    long floats() {
        return data.byteSize() / Float.BYTES;
    }

    /// The elements `from` to `to`, without it, as they lie in memory.
    MemorySegment piece(long from, long to) {
        return data.asSlice(from * Float.BYTES, (to - from) * Float.BYTES);
    }
}
