package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
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

/// One session's view of a GPU: the shared primary context, a compute stream, a second compute stream for work with
/// no dependents soon, each with cuDNN and cuBLAS handles, and a copy stream. All resources are freed with it, in
/// reverse order. Not thread-safe.
public final class Gpu implements AutoCloseable {
    private final int number;
    private final CUdevice device;
    private final CUcontext context;
    private final Deque<Runnable> resources = new ArrayDeque<>();
    private final List<CUstream> streams = new ArrayList<>();
    private final boolean forks;
    private final Lane chain;
    private final Lane beside; // the chain itself without a second stream
    private final Stream copies;
    private final Event forked;
    private final Event besideDone;
    private Lane lane; // the current target of work
    private boolean joined = true;
    private boolean closed;

    /// With one compute stream, [#Gpu(int, boolean)].
    public Gpu(int number) {
        this(number, false);
    }

    /// @param number of the GPU among those visible under CUDA_VISIBLE_DEVICES
    /// @param forks whether to create a second compute stream
    /// @throws DeviceException if it does not exist, or cannot be used
    public Gpu(int number, boolean forks) {
        this.number = number;
        this.forks = forks;
        CudaStatus.driver(JCudaDriver.cuInit(0), "cuInit");
        device = Gpus.device(number);
        context = PrimaryContexts.of(number);
        try {
            enter();
            chain = lane();
            lane = chain;
            beside = forks ? lane() : chain;
            copies = stream();
            forked = event();
            besideDone = event();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Lane lane() {
        Stream stream = stream();
        cudaStream_t ofLibraries = new cudaStream_t(stream.handle());
        cudnnHandle dnn = new cudnnHandle();
        CudaStatus.dnn(JCudnn.cudnnCreate(dnn), "cudnnCreate on " + this);
        onClose(() -> JCudnn.cudnnDestroy(dnn));
        CudaStatus.dnn(JCudnn.cudnnSetStream(dnn, ofLibraries), "cudnnSetStream");
        cublasHandle blas = new cublasHandle();
        CudaStatus.blas(JCublas2.cublasCreate(blas), "cublasCreate on " + this);
        onClose(() -> JCublas2.cublasDestroy(blas));
        CudaStatus.blas(JCublas2.cublasSetStream(blas, ofLibraries), "cublasSetStream");
        return new Lane(stream, dnn, blas);
    }

    private Stream stream() {
        CUstream handle = new CUstream();
        // The default stream cannot be captured, and a blocking stream would wait for it.
        CudaStatus.driver(JCudaDriver.cuStreamCreate(handle, CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate");
        streams.add(handle);
        onClose(() -> JCudaDriver.cuStreamDestroy(handle));
        return new Stream(handle);
    }

    /// The name in jobs: `cuda:0`.
    @Override
    public String toString() {
        return "cuda:" + number;
    }

    /// Makes this GPU current for the calling thread, which may have sessions on several GPUs.
    ///
    /// @throws IllegalStateException if it is closed
    public void enter() {
        if (closed) {
            throw new IllegalStateException(this + " is closed for this session; open another");
        }
        makeCurrent(this);
    }

    static void makeCurrent(Gpu gpu) {
        CudaStatus.driver(JCudaDriver.cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent to " + gpu);
    }

    /// Registers `release` to run when this is closed, before all earlier ones.
    public void onClose(Runnable release) {
        resources.push(release);
    }

    /// The current compute stream: within [#fork] the second one.
    public Stream compute() {
        return lane.stream();
    }

    /// Whether [#fork] uses a separate stream.
    public boolean forks() {
        return forks;
    }

    /// Whether work is currently enqueued within [#fork], on a separate stream.
    public boolean isForked() {
        return forks && lane.equals(beside);
    }

    /// Runs the work that `work` enqueues after all earlier work, in parallel with later work until [#join].
    /// Several forks run one after another. Without a second stream it is enqueued like other work.
    public void fork(Runnable work) {
        if (!forks) {
            work.run();
            return;
        }
        forked.record(chain.stream());
        beside.stream().await(forked);
        joined = false;
        lane = beside;
        try {
            work.run();
        } finally {
            lane = chain;
        }
    }

    /// Makes later work wait for all forked work.
    public void join() {
        if (!joined) {
            joined = true;
            besideDone.record(beside.stream());
            chain.stream().await(besideDone);
        }
    }

    public Stream copies() {
        return copies;
    }

    public cudnnHandle dnn() {
        return lane.dnn();
    }

    public cublasHandle blas() {
        return lane.blas();
    }

    CUcontext context() {
        return context;
    }

    CUdevice device() {
        return device;
    }

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

    public long freeBytes() {
        long[] free = new long[1];
        long[] total = new long[1];
        CudaStatus.driver(JCudaDriver.cuMemGetInfo(free, total), "cuMemGetInfo of " + this);
        return free[0];
    }

    /// Records the work that `work` enqueues on the compute stream, without running it.
    public Graph capture(Runnable work) {
        return captureInPieces(_ -> work.run()).getFirst();
    }

    /// Like [#capture], in pieces.
    ///
    /// @param work receives a function that ends a piece, including its forked work, and begins the next
    public List<Graph> captureInPieces(Consumer<Runnable> work) {
        List<Graph> pieces = new ArrayList<>();
        beginCapture();
        try {
            work.accept(() -> {
                join();
                pieces.add(endCapture());
                beginCapture();
            });
        } catch (RuntimeException | Error e) {
            joined = true;
            CUgraph graph = new CUgraph();
            if (JCudaDriver.cuStreamEndCapture(chain.stream().handle(), graph) == 0) { // the stream must leave capture
                JCudaDriver.cuGraphDestroy(graph);
            }
            throw e;
        }
        pieces.add(endCapture());
        return pieces;
    }

    private void beginCapture() {
        CudaStatus.driver(
                JCudaDriver.cuStreamBeginCapture(
                        chain.stream().handle(), CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                "cuStreamBeginCapture");
    }

    private Graph endCapture() {
        CUgraph graph = new CUgraph();
        CudaStatus.driver(JCudaDriver.cuStreamEndCapture(chain.stream().handle(), graph), "cuStreamEndCapture");
        return new Graph(this, graph);
    }

    public Event event() {
        return new Event(this, CUevent_flags.CU_EVENT_DISABLE_TIMING);
    }

    public Event timedEvent() {
        return new Event(this, CUevent_flags.CU_EVENT_DEFAULT);
    }

    /// @throws IllegalStateException if the buffer is on another GPU; names both
    public Pointer at(Buffer buffer) {
        return buffer.pointer(this);
    }

    /// Enables direct reads of the other GPU's memory if the hardware supports them and a test succeeds; otherwise
    /// copies go through the host.
    public void enablePeer(Gpu other) {
        Peers.enable(this, other);
    }

    /// Waits for all enqueued work. Copies by other GPUs from this one end when those settle.
    public void settle() {
        JCudaDriver.cuCtxSetCurrent(context);
        streams.forEach(JCudaDriver::cuStreamSynchronize); // a lost context is reported elsewhere
    }

    /// Frees all resources. Failures are ignored, because a lost context frees its resources.
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
