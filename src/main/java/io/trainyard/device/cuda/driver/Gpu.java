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

/// One GPU as one session uses it: its primary context, which it shares, a stream that computes, one beside it for what
/// nothing waits for soon, each with handles of cuDNN and cuBLAS, and one that copies. What is made on it is freed with
/// it, the newest first. Used by one thread.
public final class Gpu implements AutoCloseable {
    private final int number;
    private final CUdevice device;
    private final CUcontext context;
    private final Deque<Runnable> resources = new ArrayDeque<>();
    private final List<CUstream> streams = new ArrayList<>();
    private final boolean forks;
    private final Lane chain;
    private final Lane beside; // the chain itself, where there is no second one
    private final Stream copies;
    private final Event forked;
    private final Event besideDone;
    private Lane lane; // to which work is given
    private boolean joined = true;
    private boolean closed;

    /// With one stream that computes, [#Gpu(int, boolean)].
    public Gpu(int number) {
        this(number, false);
    }

    /// @param number of the GPU among those that CUDA_VISIBLE_DEVICES leaves
    /// @param forks whether there is a second stream that computes
    /// @throws DeviceException if there is none, or it cannot be used
    public Gpu(int number, boolean forks) {
        this.number = number;
        this.forks = forks;
        Status.driver(JCudaDriver.cuInit(0), "cuInit");
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
        Status.dnn(JCudnn.cudnnCreate(dnn), "cudnnCreate on " + this);
        onClose(() -> JCudnn.cudnnDestroy(dnn));
        Status.dnn(JCudnn.cudnnSetStream(dnn, ofLibraries), "cudnnSetStream");
        cublasHandle blas = new cublasHandle();
        Status.blas(JCublas2.cublasCreate(blas), "cublasCreate on " + this);
        onClose(() -> JCublas2.cublasDestroy(blas));
        Status.blas(JCublas2.cublasSetStream(blas, ofLibraries), "cublasSetStream");
        return new Lane(stream, dnn, blas);
    }

    private Stream stream() {
        CUstream handle = new CUstream();
        // the default stream cannot be captured, and a blocking one would wait for it
        Status.driver(JCudaDriver.cuStreamCreate(handle, CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate");
        streams.add(handle);
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

    /// Where everything is computed; within [#fork], where that is.
    public Stream compute() {
        return lane.stream();
    }

    /// Whether [#fork] has a stream of its own.
    public boolean forks() {
        return forks;
    }

    /// Whether what is given now is given within [#fork], to a stream of its own.
    public boolean isForked() {
        return forks && lane.equals(beside);
    }

    /// Has what `work` enqueues run after all that was enqueued before, and beside what is enqueued from now on, until
    /// [#join]. One after the other, if forked again. Without a second stream it is enqueued like everything else.
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

    /// Has what is enqueued from now on run after all that was forked.
    public void join() {
        if (!joined) {
            joined = true;
            besideDone.record(beside.stream());
            chain.stream().await(besideDone);
        }
    }

    /// Where copies go that are to overlap with computing.
    public Stream copies() {
        return copies;
    }

    /// Of the stream that [#compute] is.
    public cudnnHandle dnn() {
        return lane.dnn();
    }

    /// Of the stream that [#compute] is.
    public cublasHandle blas() {
        return lane.blas();
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
        return captureInPieces(_ -> work.run()).getFirst();
    }

    /// As [#capture], in pieces.
    ///
    /// @param work is given what ends a piece, with all that was forked in it, for the next to begin
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
        Status.driver(
                JCudaDriver.cuStreamBeginCapture(
                        chain.stream().handle(), CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                "cuStreamBeginCapture");
    }

    private Graph endCapture() {
        CUgraph graph = new CUgraph();
        Status.driver(JCudaDriver.cuStreamEndCapture(chain.stream().handle(), graph), "cuStreamEndCapture");
        return new Graph(this, graph);
    }

    public Event event() {
        return new Event(this, CUevent_flags.CU_EVENT_DISABLE_TIMING);
    }

    /// One that tells when it passed.
    public Event timedEvent() {
        return new Event(this, CUevent_flags.CU_EVENT_DEFAULT);
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
        streams.forEach(JCudaDriver::cuStreamSynchronize); // of a lost context it says so, which is no news
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
