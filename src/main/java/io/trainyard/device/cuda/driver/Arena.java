package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/// All device memory of a session in one allocation. All buffers are reserved first, so that the total is known;
/// after the allocation nothing more can be reserved.
public final class Arena {
    /// Alignment for which kernels and libraries are fastest, and which cuMemAlloc guarantees.
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

    /// Lets further buffers overlap those reserved since `mark`, for buffers that are never used at the same time.
    public void rewind(long mark) {
        end = mark;
    }

    public long need() {
        return need;
    }

    /// Allocates the memory and fills it with zeros.
    ///
    /// @throws DeviceException if the GPU has not enough memory
    public void allocate() {
        CUdeviceptr start = new CUdeviceptr();
        CudaStatus.driver(
                JCudaDriver.cuMemAlloc(start, Math.max(need, ALIGNMENT)),
                "cuMemAlloc of %d MiB on %s".formatted(need >> 20, gpu));
        base = start;
        gpu.onClose(this::free);
        clear();
    }

    /// Frees the memory before the GPU is closed, which frees it otherwise.
    public void free() {
        CUdeviceptr start = base;
        base = null;
        if (start != null) {
            JCudaDriver.cuMemFree(start);
        }
    }

    public void clear() {
        CudaStatus.driver(
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
