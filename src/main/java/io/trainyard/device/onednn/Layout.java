package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.bytedeco.dnnl.dnnl_memory_desc;

/// Element type, dimensions and memory layout of a tensor: oneDNN's memory descriptor. Its handle belongs to an
/// [Engine].
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

    /// The logical dimensions, outermost first; the first one of activations is the batch.
    long[] sizes() {
        return sizes.clone();
    }

    ValueType type() {
        int found = ask(dnnl_query_data_type).get(ValueLayout.JAVA_INT, 0);
        return found == dnnl_bf16 ? ValueType.BFLOAT16 : ValueType.FLOAT32;
    }

    static int dataType(ValueType type) {
        return switch (type) {
            case FLOAT32 -> dnnl_f32;
            case BFLOAT16 -> dnnl_bf16;
        };
    }

    /// Elements of the tensor, without the padding of a blocked layout.
    long elements() {
        return Engine.product(sizes);
    }

    /// Includes padding.
    long bytes() {
        return dnnl_memory_desc_get_size(handle);
    }

    boolean isPadded() {
        return bytes() > elements() * type().bytes();
    }

    boolean same(Layout other) {
        return dnnl_memory_desc_equal(handle, other.handle) == 1;
    }

    /// The layout for our own kernels.
    ///
    /// @return empty if it is not a batch of images, or [ImageLayout] cannot represent it
    Optional<ImageLayout> image() {
        long[] strides = dimensions(dnnl_query_strides, sizes.length);
        int blocks = ask(dnnl_query_inner_nblks_s32).get(ValueLayout.JAVA_INT, 0);
        return ImageLayout.of(
                sizes, strides, dimensions(dnnl_query_inner_blks, blocks), dimensions(dnnl_query_inner_idxs, blocks));
    }

    /// The first `count` numbers of a `dnnl_dims_t` within the descriptor.
    private long[] dimensions(int query, int count) {
        return ask(query)
                .get(ValueLayout.ADDRESS, 0)
                .reinterpret((long) count * Long.BYTES)
                .toArray(ValueLayout.JAVA_LONG);
    }

    /// Eight bytes: a number, or an address.
    private MemorySegment ask(int query) {
        MemorySegment answer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
        OneDnnStatus.check(
                dnnl_memory_desc_query(handle, query, new Address(answer.address())), "describe a tensor's layout");
        return answer;
    }
}
