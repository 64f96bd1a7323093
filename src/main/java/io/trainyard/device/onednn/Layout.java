package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_desc_equal;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_desc_get_size;

import org.bytedeco.dnnl.dnnl_memory_desc;

/// How a tensor of float32 lies in memory: oneDNN's memory descriptor. Its handle belongs to an [Engine].
final class Layout {
    private final dnnl_memory_desc handle;
    private final long[] sizes;

    Layout(dnnl_memory_desc handle, long[] sizes) {
        this.handle = handle;
        this.sizes = sizes.clone();
    }

    dnnl_memory_desc handle() {
        return handle;
    }

    /// The logical dimensions, outermost first; for activations the batch is the first.
    long[] sizes() {
        return sizes.clone();
    }

    /// Elements of the tensor; a blocked layout may have padding besides.
    long elements() {
        return Engine.product(sizes);
    }

    /// Padding included.
    long bytes() {
        return dnnl_memory_desc_get_size(handle);
    }

    boolean same(Layout other) {
        return dnnl_memory_desc_equal(handle, other.handle) == 1;
    }
}
