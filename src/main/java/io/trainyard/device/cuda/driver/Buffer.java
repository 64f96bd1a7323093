package io.trainyard.device.cuda.driver;

import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/// A range of one GPU's memory. Copies are explicit and check sizes.
public final class Buffer {
    /// The limit of a Java buffer.
    private static final long MOST_AT_ONCE = 1L << 30;

    private final Arena arena;
    private final long offset;
    private final long bytes;
    private final String what;

    Buffer(Arena arena, long offset, long bytes, String what) {
        this.arena = arena;
        this.offset = offset;
        this.bytes = bytes;
        this.what = what;
    }

    public long bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return "%s on %s".formatted(what, arena.gpu());
    }

    public Buffer slice(long from, long length, String part) {
        if (from < 0 || length < 0 || from + length > bytes) {
            throw new IllegalArgumentException(
                    "bytes %d to %d are requested of %s, which has %d".formatted(from, from + length, this, bytes));
        }
        return new Buffer(arena, offset + from, length, part);
    }

    @SuppressWarnings("ReferenceEquality") // each session has its own
    CUdeviceptr pointer(Gpu user) {
        if (user != arena.gpu()) {
            throw new IllegalStateException("%s is handed to what computes on %s; copy it there first"
                    .formatted(
                            this,
                            user.toString().equals(arena.gpu().toString()) ? user + " for another session" : user));
        }
        return address();
    }

    private CUdeviceptr address() {
        return arena.start(what).withByteOffset(offset);
    }

    /// Copies from the host and waits.
    ///
    /// @param source an array of [#bytes] bytes
    public void write(Pointer source) {
        write(source, bytes);
    }

    public void write(MemorySegment source) {
        requireLength(source.byteSize());
        for (long from = 0; from < source.byteSize(); from += MOST_AT_ONCE) {
            long length = Math.min(MOST_AT_ONCE, source.byteSize() - from);
            copy(from, Pointer.toBuffer(source.asSlice(from, length).asByteBuffer()), length);
        }
    }

    public void write(Pointer source, long length) {
        requireLength(length);
        copy(0, source, length);
    }

    private void copy(long to, Pointer source, long length) {
        CUdeviceptr target = address().withByteOffset(to);
        arena.gpu().compute().synchronize(); // work that still reads the buffer
        CudaStatus.driver(JCudaDriver.cuMemcpyHtoD(target, source, length), "cuMemcpyHtoD to " + this);
        // From pageable memory the call may return early, and our streams do not wait for the one it uses.
        Stream.OF_COPIES.synchronize();
    }

    /// Copies to the host, after all enqueued work.
    ///
    /// @param target an array of [#bytes] bytes
    public void read(Pointer target) {
        CUdeviceptr source = address();
        arena.gpu().compute().synchronize();
        CudaStatus.driver(JCudaDriver.cuMemcpyDtoH(target, source, bytes), "cuMemcpyDtoH from " + this);
    }

    /// Enqueues a copy from pinned memory.
    public void writeAsync(Pinned source, long from, long to, long length, Stream stream) {
        requireLength(to + length);
        CudaStatus.driver(
                JCudaDriver.cuMemcpyHtoDAsync(
                        address().withByteOffset(to), source.pointer(from, length), length, stream.handle()),
                "cuMemcpyHtoDAsync to " + this);
    }

    /// Enqueues a copy of `source`, which has the same size and may be on another GPU, on this GPU's compute
    /// stream.
    public void copyFrom(Buffer source) {
        requireLength(source.bytes);
        if (source.bytes == 0) {
            return;
        }
        Gpu gpu = arena.gpu();
        Gpu other = source.arena.gpu();
        CudaStatus.driver(
                gpu.equals(other)
                        ? JCudaDriver.cuMemcpyDtoDAsync(
                                address(),
                                source.address(),
                                source.bytes,
                                gpu.compute().handle())
                        : JCudaDriver.cuMemcpyPeerAsync(
                                address(),
                                gpu.context(),
                                source.address(),
                                other.context(),
                                source.bytes,
                                gpu.compute().handle()),
                "the copy of %s to %s".formatted(source, this));
    }

    public void clear() {
        if (bytes == 0) {
            return;
        }
        CudaStatus.driver(
                JCudaDriver.cuMemsetD8Async(
                        address(), (byte) 0, bytes, arena.gpu().compute().handle()),
                "cuMemsetD8Async of " + this);
    }

    private void requireLength(long length) {
        if (length > bytes) {
            throw new IllegalArgumentException(
                    "%d bytes are copied to %s, which has %d".formatted(length, this, bytes));
        }
    }
}
