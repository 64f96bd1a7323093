package io.trainyard.device.cuda.driver;

import jcuda.driver.CUevent;
import jcuda.driver.JCudaDriver;

/// A point in a stream's work. An event that was never recorded counts as passed.
public final class Event {
    private final CUevent handle = new CUevent();

    Event(Gpu gpu, int flags) {
        CudaStatus.driver(JCudaDriver.cuEventCreate(handle, flags), "cuEventCreate");
        gpu.onClose(() -> JCudaDriver.cuEventDestroy(handle));
    }

    CUevent handle() {
        return handle;
    }

    public void record(Stream stream) {
        CudaStatus.driver(JCudaDriver.cuEventRecord(handle, stream.handle()), "cuEventRecord");
    }

    /// The GPU time from another event to this one; both must have passed, and be timed.
    public float millisSince(Event begin) {
        float[] millis = new float[1];
        CudaStatus.driver(JCudaDriver.cuEventElapsedTime(millis, begin.handle, handle), "cuEventElapsedTime");
        return millis[0];
    }

    public void synchronize() {
        CudaStatus.driver(JCudaDriver.cuEventSynchronize(handle), "cuEventSynchronize");
    }
}
