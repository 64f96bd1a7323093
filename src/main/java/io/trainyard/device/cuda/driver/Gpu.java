package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import java.util.ArrayDeque;
import java.util.Deque;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUgraph;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import jcuda.jcublas.JCublas2;
import jcuda.jcublas.cublasHandle;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnHandle;
import jcuda.runtime.cudaStream_t;

/// One GPU as one session uses it: its primary context, which it shares, a stream that computes and one that copies,
/// handles of
/// cuDNN and cuBLAS on the first. What is made on it is freed with it, the newest first. Used by one thread.
public final class Gpu implements AutoCloseable {
    private final int number;
    private final CUdevice device;
    private final CUcontext context;
    private final Deque<Runnable> resources = new ArrayDeque<>();
    private final Stream compute;
    private final Stream copies;
    private final cudnnHandle dnn = new cudnnHandle();
    private final cublasHandle blas = new cublasHandle();
    private boolean closed;

    /// @param number of the GPU among those that CUDA_VISIBLE_DEVICES leaves
    /// @throws DeviceException if there is none, or it cannot be used
    public Gpu(int number) {
        this.number = number;
        Status.driver(JCudaDriver.cuInit(0), "cuInit");
        device = Gpus.device(number);
        context = PrimaryContexts.of(number);
        try {
            enter();
            compute = stream();
            copies = stream();
            Status.dnn(JCudnn.cudnnCreate(dnn), "cudnnCreate on " + this);
            onClose(() -> JCudnn.cudnnDestroy(dnn));
            Status.dnn(JCudnn.cudnnSetStream(dnn, new cudaStream_t(compute.handle())), "cudnnSetStream");
            Status.blas(JCublas2.cublasCreate(blas), "cublasCreate on " + this);
            onClose(() -> JCublas2.cublasDestroy(blas));
            Status.blas(JCublas2.cublasSetStream(blas, new cudaStream_t(compute.handle())), "cublasSetStream");
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Stream stream() {
        CUstream handle = new CUstream();
        // the default stream cannot be captured, and a blocking one would wait for it
        Status.driver(JCudaDriver.cuStreamCreate(handle, CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate");
        onClose(() -> JCudaDriver.cuStreamDestroy(handle));
        return new Stream(handle);
    }

    /// As jobs call it: `cuda:0`.
    @Override
    public String toString() {
        return "cuda:" + number;
    }

    /// Makes it the one that this thread's calls go to: a thread may have sessions on several.
    ///
    /// @throws IllegalStateException if it is closed
    public void enter() {
        if (closed) {
            throw new IllegalStateException(this + " is closed for this session; open another");
        }
        makeCurrent(this);
    }

    /// Has this thread's calls go to `gpu` until it enters another.
    static void makeCurrent(Gpu gpu) {
        Status.driver(JCudaDriver.cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent to " + gpu);
    }

    /// Has `release` run when this is closed, before all that was given earlier.
    public void onClose(Runnable release) {
        resources.push(release);
    }

    /// Where everything is computed.
    public Stream compute() {
        return compute;
    }

    /// Where copies go that are to overlap with computing.
    public Stream copies() {
        return copies;
    }

    public cudnnHandle dnn() {
        return dnn;
    }

    public cublasHandle blas() {
        return blas;
    }

    CUcontext context() {
        return context;
    }

    CUdevice device() {
        return device;
    }

    /// As NVIDIA calls it: `NVIDIA H200`.
    public String name() {
        return Gpus.name(number);
    }

    /// `90` for compute capability 9.0.
    public int architecture() {
        return Gpus.architecture(number);
    }

    int multiprocessors() {
        return Gpus.attribute(number, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    }

    /// What the driver can still give, in bytes.
    public long freeBytes() {
        long[] free = new long[1];
        long[] total = new long[1];
        Status.driver(JCudaDriver.cuMemGetInfo(free, total), "cuMemGetInfo of " + this);
        return free[0];
    }

    /// Records what `work` enqueues on the compute stream, and runs nothing of it.
    public Graph capture(Runnable work) {
        CUgraph graph = new CUgraph();
        Status.driver(
                JCudaDriver.cuStreamBeginCapture(
                        compute.handle(), CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                "cuStreamBeginCapture");
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            if (JCudaDriver.cuStreamEndCapture(compute.handle(), graph) == 0) { // the stream must leave capture
                JCudaDriver.cuGraphDestroy(graph);
            }
            throw e;
        }
        Status.driver(JCudaDriver.cuStreamEndCapture(compute.handle(), graph), "cuStreamEndCapture");
        return new Graph(this, graph);
    }

    public Event event() {
        return new Event(this, CUevent_flags.CU_EVENT_DISABLE_TIMING);
    }

    /// @throws IllegalStateException if the buffer lives on another GPU; names both
    public Pointer at(Buffer buffer) {
        return buffer.pointer(this);
    }

    /// Lets this GPU read the other's memory where the machine's wiring can and does; otherwise copies go through
    /// the host.
    public void enablePeer(Gpu other) {
        Peers.enable(this, other);
    }

    /// Waits until all that was enqueued here has run: others' copies from this GPU come to their end by settling
    /// those others.
    public void settle() {
        JCudaDriver.cuCtxSetCurrent(context);
        JCudaDriver.cuCtxSynchronize(); // of a lost context it says so, which is no news to who closes it
    }

    /// Frees everything. What fails on a lost context is lost with it.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        settle();
        while (!resources.isEmpty()) {
            resources.pop().run();
        }
        closed = true;
    }
}
