package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/// All the device memory of a session, as one allocation: first everything is reserved, so that the need is known,
/// then it is allocated. Nothing is allocated afterwards.
public final class Arena {
    /// Kernels and libraries are fastest on addresses that are multiples of it; cuMemAlloc's own are.
    private static final long ALIGNMENT = 256;

    private final Gpu gpu;
    private long end;
    private long need;
    private @Nullable CUdeviceptr base;

    public Arena(Gpu gpu) {
        this.gpu = gpu;
    }

    Gpu gpu() {
        return gpu;
    }

    /// @param what it holds, for errors
    public Buffer reserve(long bytes, String what) {
        if (base != null) {
            throw new IllegalStateException("%s is reserved after the memory was allocated".formatted(what));
        }
        Buffer buffer = new Buffer(this, end, bytes, what);
        end += Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        need = Math.max(need, end);
        return buffer;
    }

    public long mark() {
        return end;
    }

    /// Has what is reserved from now on share its place with all that was reserved since `mark`: for what is never
    /// in use at the same time.
    public void rewind(long mark) {
        end = mark;
    }

    public long need() {
        return need;
    }

    /// Allocates, and fills with zeros.
    ///
    /// @throws DeviceException if the GPU has not so much
    public void allocate() {
        CUdeviceptr start = new CUdeviceptr();
        Status.driver(
                JCudaDriver.cuMemAlloc(start, Math.max(need, ALIGNMENT)),
                "cuMemAlloc of %d MiB on %s".formatted(need >> 20, gpu));
        base = start;
        gpu.onClose(this::free);
        clear();
    }

    /// Gives it back before the GPU is closed, which does so otherwise.
    public void free() {
        CUdeviceptr start = base;
        base = null;
        if (start != null) {
            JCudaDriver.cuMemFree(start);
        }
    }

    public void clear() {
        Status.driver(
                JCudaDriver.cuMemsetD8Async(
                        start("all buffers"), (byte) 0, need, gpu.compute().handle()),
                "cuMemsetD8Async");
        gpu.compute().synchronize();
    }

    CUdeviceptr start(String what) {
        CUdeviceptr start = base;
        if (start == null) {
            throw new IllegalStateException("%s on %s has no memory: not allocated yet, or freed".formatted(what, gpu));
        }
        return start;
    }
}
