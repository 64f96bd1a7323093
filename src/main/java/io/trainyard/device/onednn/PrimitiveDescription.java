package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.DeviceException;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.bytedeco.dnnl.dnnl_primitive_desc;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;

/// oneDNN's implementation and layouts for one operation. Belongs to an [Engine].
///
/// @param what for error messages: `run the forward convolution of layer "conv1"`
record PrimitiveDescription(dnnl_primitive_desc handle, String what) {
    /// Whether oneDNN has no specialized kernel for it and uses a general one: matrix multiplication or plain
    /// loops.
    boolean general() {
        PointerPointer<BytePointer> name = new PointerPointer<>(1);
        OneDnnStatus.check(
                dnnl_primitive_desc_query(handle, dnnl_query_impl_info_str, 0, name),
                "name the implementation of " + what);
        String implementation = name.get(BytePointer.class).getString();
        return implementation.contains("gemm") || implementation.startsWith("ref");
    }

    /// The layout of one argument.
    ///
    /// @param query such as `dnnl_query_src_md`
    /// @param sizes the argument's logical dimensions
    Layout layout(int query, long... sizes) {
        dnnl_memory_desc found = dnnl_primitive_desc_query_md(handle, query, 0);
        if (found == null) {
            throw new DeviceException("oneDNN names no layout number %d to %s".formatted(query, what));
        }
        return new Layout(found, sizes);
    }
}
