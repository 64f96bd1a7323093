package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.kernel.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.bytedeco.dnnl.dnnl_engine;
import org.bytedeco.dnnl.dnnl_exec_arg_t;
import org.bytedeco.dnnl.dnnl_memory;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.bytedeco.dnnl.dnnl_primitive;
import org.bytedeco.dnnl.dnnl_primitive_desc;
import org.bytedeco.dnnl.dnnl_stream;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/// oneDNN's C API and the owner of its objects: closing frees every memory and primitive in reverse order. Used
/// only on the thread that created it, because oneDNN's scratch memory belongs to a thread.
final class Engine implements AutoCloseable {
    /// `dnnl_exec_arg_t` is { int arg; dnnl_memory_t memory; }, with the pointer aligned to eight bytes.
    private static final long ARGUMENT_BYTES = 16;

    private static final long ARGUMENT_MEMORY_OFFSET = 8;

    /// `DNNL_MEMORY_ALLOCATE`: oneDNN allocates with its own alignment.
    private static final long ALLOCATE = -1;

    /// oneDNN 3.11 writes whole vectors where it rounds a padded tensor to bfloat16 (`jit_direct_copy`), up to this
    /// far beyond the end.
    private static final long SLACK_BYTES = 64;

    /// oneDNN's tags of row-major tensors, by the number of dimensions.
    private static final List<Integer> PLAIN_TAGS = List.of(dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde);

    private final dnnl_engine engine;
    private final dnnl_stream stream;
    private final Arena arena = Arena.ofShared(); // sessions sum gradients of several engines
    private final Deque<Runnable> destroyers = new ArrayDeque<>();
    private final @Nullable MemoryPool pool; // of programs

    Engine() {
        engine = new dnnl_engine();
        stream = new dnnl_stream();
        pool = null;
        try {
            OneDnnStatus.check(dnnl_engine_create(engine, dnnl_cpu, 0), "make a CPU engine");
            destroyers.push(() -> dnnl_engine_destroy(engine));
            OneDnnStatus.check(dnnl_stream_create(stream, engine, dnnl_stream_default_flags), "make a stream");
            destroyers.push(() -> dnnl_stream_destroy(stream));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Engine(Engine outer, @Nullable MemoryPool pool) {
        engine = outer.engine;
        stream = outer.stream;
        this.pool = pool;
    }

    /// An owner of objects with a shorter lifetime; close it before this engine.
    Engine nested() {
        return new Engine(this, null);
    }

    /// An engine for one program, closed together with this one.
    Engine program(MemoryPool values) {
        Engine program = new Engine(this, values);
        destroyers.push(program::close);
        values.begin();
        return program;
    }

    /// Row-major float32.
    Layout plain(long... sizes) {
        return plain(ValueType.FLOAT32, sizes);
    }

    Layout plain(ValueType type, long... sizes) {
        return tagged(type, PLAIN_TAGS.get(sizes.length - 1), sizes);
    }

    /// The same layout for another type: images keep their blocks of channels, others are row-major.
    Layout like(Layout layout, ValueType type) {
        long[] sizes = layout.sizes();
        return layout.image()
                .filter(images -> images.lanes() > 1)
                .map(images -> blocked(type, images.lanes(), sizes))
                .orElseGet(() -> plain(type, sizes));
    }

    /// float32 images with channels in blocks of `lanes`.
    ///
    /// @param lanes as for values of other types
    /// @param sizes (samples, channels, rows, columns)
    Layout blocked(int lanes, long... sizes) {
        return blocked(ValueType.FLOAT32, lanes, sizes);
    }

    /// Images with channels in blocks of `lanes`.
    ///
    /// @param lanes 8, 16, or all channels
    /// @param sizes (samples, channels, rows, columns)
    Layout blocked(ValueType type, int lanes, long... sizes) {
        return tagged(type, channelsTag(lanes), sizes);
    }

    private static int channelsTag(int lanes) {
        return switch (lanes) {
            case 8 -> dnnl_nChw8c;
            case 16 -> dnnl_nChw16c;
            default -> dnnl_nhwc;
        };
    }

    /// Kernels of one channel each, blocked like the channels of images in [#blocked].
    ///
    /// @param lanes 8 or 16
    /// @param sizes (channels, 1, 1, kernel rows, kernel columns)
    Layout blockedKernels(int lanes, long... sizes) {
        return tagged(ValueType.FLOAT32, lanes == 16 ? dnnl_Goihw16g : dnnl_Goihw8g, sizes);
    }

    /// The layout of a part of a tensor within its memory.
    ///
    /// @param begin the part's first index in each dimension
    /// @return empty if a block of channels belongs to two parts
    Optional<Layout> part(Layout whole, long[] sizes, long... begin) {
        dnnl_memory_desc handle = new dnnl_memory_desc();
        if (dnnl_memory_desc_create_submemory(handle, whole.handle(), sizes, begin) != dnnl_success) {
            return Optional.empty();
        }
        destroyers.push(() -> dnnl_memory_desc_destroy(handle));
        return Optional.of(new Layout(handle, sizes));
    }

    /// Lets the primitive choose the layout.
    Layout any(ValueType type, long... sizes) {
        return tagged(type, dnnl_format_tag_any, sizes);
    }

    private Layout tagged(ValueType type, int tag, long... sizes) {
        dnnl_memory_desc handle = new dnnl_memory_desc();
        int status = dnnl_memory_desc_create_with_tag(handle, sizes.length, sizes, Layout.dataType(type), tag);
        OneDnnStatus.check(status, "describe a tensor");
        destroyers.push(() -> dnnl_memory_desc_destroy(handle));
        return new Layout(handle, sizes);
    }

    /// Zeros; in an engine for a program, undefined values, except that padding is zero.
    Memory memory(Layout layout) {
        if (pool == null || layout.isPadded()) {
            return kept(layout);
        }
        return at(pool.take(layout.bytes()), layout);
    }

    /// Zeros in memory that no other program uses.
    Memory kept(Layout layout) {
        Memory memory = at(allocate(layout.bytes()), layout);
        var _ = memory.data().fill((byte) 0);
        return memory;
    }

    /// Undefined values, for [#kept] and for pools.
    MemorySegment allocate(long bytes) {
        Layout layout = plain(Math.ceilDiv(bytes + SLACK_BYTES, Float.BYTES));
        dnnl_memory handle = new dnnl_memory();
        String what = "allocate %d bytes".formatted(bytes);
        OneDnnStatus.check(dnnl_memory_create(handle, layout.handle(), engine, new Address(ALLOCATE)), what);
        destroyers.push(() -> dnnl_memory_destroy(handle));
        Pointer data = new Pointer();
        OneDnnStatus.check(dnnl_memory_get_data_handle(handle, data), what);
        return MemorySegment.ofAddress(data.address()).reinterpret(bytes, arena, null);
    }

    /// A view of the same memory in another layout: with other dimensions if both are row-major, or of a part.
    Memory view(Memory memory, Layout layout) {
        return at(memory.data(), layout);
    }

    private Memory at(MemorySegment data, Layout layout) {
        dnnl_memory handle = new dnnl_memory();
        OneDnnStatus.check(
                dnnl_memory_create(handle, layout.handle(), engine, new Address(data.address())),
                "use memory for a tensor");
        destroyers.push(() -> dnnl_memory_destroy(handle));
        return new Memory(layout, handle, data);
    }

    interface Describing {
        int create(dnnl_primitive_desc handle, dnnl_engine engine);
    }

    /// @param what for the error message, after "oneDNN could not"
    PrimitiveDescription describe(String what, Describing describing) {
        dnnl_primitive_desc handle = new dnnl_primitive_desc();
        OneDnnStatus.check(describing.create(handle, engine), what);
        destroyers.push(() -> dnnl_primitive_desc_destroy(handle));
        return new PrimitiveDescription(handle, what);
    }

    /// One argument of an operation.
    ///
    /// @param index such as `DNNL_ARG_SRC`
    record Argument(int index, Memory memory) {}

    Operation operation(PrimitiveDescription description, List<Argument> arguments) {
        dnnl_primitive primitive = new dnnl_primitive();
        OneDnnStatus.check(dnnl_primitive_create(primitive, description.handle()), description.what());
        destroyers.push(() -> dnnl_primitive_destroy(primitive));

        MemorySegment table = arena.allocate(arguments.size() * ARGUMENT_BYTES, Long.BYTES);
        for (int i = 0; i < arguments.size(); i++) {
            long row = i * ARGUMENT_BYTES;
            table.set(ValueLayout.JAVA_INT, row, arguments.get(i).index());
            table.set(
                    ValueLayout.JAVA_LONG,
                    row + ARGUMENT_MEMORY_OFFSET,
                    arguments.get(i).memory().handle().address());
        }
        dnnl_exec_arg_t pointer = new dnnl_exec_arg_t(new Address(table.address()));
        int count = arguments.size();
        return () -> OneDnnStatus.check(dnnl_primitive_execute(primitive, stream, count, pointer), description.what());
    }

    /// Copies between layouts; rounds to nearest if the target type has lower precision.
    Operation reorder(Memory from, Memory to) {
        PrimitiveDescription description = describe(
                "copy a tensor from one layout to another",
                (handle, cpu) -> dnnl_reorder_primitive_desc_create(
                        handle, from.layout().handle(), cpu, to.layout().handle(), cpu, null));
        return operation(description, List.of(new Argument(DNNL_ARG_FROM, from), new Argument(DNNL_ARG_TO, to)));
    }

    static long product(long... sizes) {
        long product = 1;
        for (long size : sizes) {
            product *= size;
        }
        return product;
    }

    @Override
    public void close() {
        while (!destroyers.isEmpty()) {
            destroyers.pop().run();
        }
        arena.close();
    }
}
