package io.trainyard.device.cuda.driver;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.Pointer;
import jcuda.driver.JCudaDriver;

/// Host memory that the GPU reads directly while the host continues.
public final class Pinned {
    private final Pointer pointer = new Pointer();
    private final ByteBuffer bytes;

    /// @param size in bytes; under 2 GiB, because JCuda maps it as one buffer
    public Pinned(Gpu gpu, long size) {
        if (size < 1 || size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "%d bytes of pinned memory are requested; allowed is 1 to %d".formatted(size, Integer.MAX_VALUE));
        }
        CudaStatus.driver(JCudaDriver.cuMemHostAlloc(pointer, size, 0), "cuMemHostAlloc of %d bytes".formatted(size));
        gpu.onClose(() -> JCudaDriver.cuMemFreeHost(pointer));
        bytes = pointer.getByteBuffer(0, size).order(ByteOrder.nativeOrder());
    }

    /// Its content; must not be changed during a copy.
    public ByteBuffer bytes() {
        return bytes;
    }

    Pointer pointer(long from, long length) {
        if (from < 0 || from + length > bytes.capacity()) {
            throw new IllegalArgumentException(
                    "bytes %d to %d are requested of %d pinned ones".formatted(from, from + length, bytes.capacity()));
        }
        return pointer.withByteOffset(from);
    }
}
