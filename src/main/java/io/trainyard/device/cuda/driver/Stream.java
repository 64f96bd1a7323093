package io.trainyard.device.cuda.driver;

import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/// Work in order. Belongs to a [Gpu].
public record Stream(CUstream handle) {
    /// The stream of the current context that copies use which are given none. Never the whole context is waited
    /// for: other sessions of this process have work there, too, and a context cannot be waited for while any of
    /// them records a graph, nor would the recording survive it.
    static final Stream OF_COPIES = new Stream(new CUstream());

    /// Waits, on the host, for all work given so far.
    public void synchronize() {
        Status.driver(JCudaDriver.cuStreamSynchronize(handle), "cuStreamSynchronize");
    }

    /// Has the work given from now on wait for what the event was recorded after.
    public void await(Event event) {
        Status.driver(JCudaDriver.cuStreamWaitEvent(handle, event.handle(), 0), "cuStreamWaitEvent");
    }
}
