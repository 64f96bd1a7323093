package io.trainyard.device.cuda.driver;

import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

public record Stream(CUstream handle) {
    /// The default stream of the current context, used by copies without a stream. We never synchronize the whole
    /// context, because other sessions of this process share it, and synchronizing fails and breaks the recording
    /// while any of them records a graph.
    static final Stream OF_COPIES = new Stream(new CUstream());

    public void synchronize() {
        CudaStatus.driver(JCudaDriver.cuStreamSynchronize(handle), "cuStreamSynchronize");
    }

    public void await(Event event) {
        CudaStatus.driver(JCudaDriver.cuStreamWaitEvent(handle, event.handle(), 0), "cuStreamWaitEvent");
    }
}
