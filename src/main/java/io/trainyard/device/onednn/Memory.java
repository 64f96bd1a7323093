package io.trainyard.device.onednn;

import io.trainyard.device.EvenPart;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.bytedeco.dnnl.dnnl_memory;

/// A tensor in native memory, which belongs to an [Engine].
///
/// @param data the values as `layout` places them, 64-byte aligned, padding included
record Memory(Layout layout, dnnl_memory handle, MemorySegment data) {
    /// Fills it from the first of `values`, which may be more; for plain layouts of float32.
    void write(float[] values) {
        MemorySegment.copy(values, 0, data, ValueLayout.JAVA_FLOAT, 0, Math.toIntExact(layout.elements()));
    }

    /// Fills the first of `values`, which may be more, from it; for plain layouts of float32.
    void read(float[] values) {
        MemorySegment.copy(data, ValueLayout.JAVA_FLOAT, 0, values, 0, Math.toIntExact(layout.elements()));
    }

    /// Of the layout's padding, too.
    long floats() {
        return data.byteSize() / Float.BYTES;
    }

    /// A part of the elements as they lie in memory; of float32.
    MemorySegment piece(EvenPart range) {
        return piece(data, range);
    }

    /// A part of the float32 values of `data`.
    static MemorySegment piece(MemorySegment data, EvenPart range) {
        int floats = Math.toIntExact(data.byteSize() / Float.BYTES);
        return data.asSlice((long) range.begin(floats) * Float.BYTES, (long) range.size(floats) * Float.BYTES);
    }
}
