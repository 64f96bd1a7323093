package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.cuda.library.CudaLibraries;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/// One of the fake GPUs, used directly through JCuda, with one stream. Each call must succeed.
final class RawGpu implements AutoCloseable {
    final CUdevice device = new CUdevice();
    final CUcontext context = new CUcontext();
    final CUstream stream = new CUstream();

    private final int number;

    RawGpu(int number) {
        this.number = number;
        CudaLibraries.loaded();
        ok(JCudaDriver.cuInit(0));
        ok(JCudaDriver.cuDeviceGet(device, number));
        ok(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        ok(JCudaDriver.cuCtxSetCurrent(context));
        ok(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    }

    /// Also works after an error that broke the context. Leaves nothing on the device.
    @Override
    public void close() {
        ok(JCudaDriver.cuDevicePrimaryCtxRelease(device));
        FakeCudaLibraries.relaunch(number);
    }

    static void ok(int status) {
        assertThat(status).as(FakeCudaLibraries::problem).isEqualTo(CUresult.CUDA_SUCCESS);
    }

    CUdeviceptr allocate(long bytes) {
        CUdeviceptr memory = new CUdeviceptr();
        ok(JCudaDriver.cuMemAlloc(memory, bytes));
        return memory;
    }

    CUdeviceptr upload(float... values) {
        return upload(Pointer.to(values), 4L * values.length);
    }

    private CUdeviceptr upload(Pointer values, long bytes) {
        CUdeviceptr memory = allocate(bytes);
        ok(JCudaDriver.cuMemcpyHtoD(memory, values, bytes));
        ok(JCudaDriver.cuCtxSynchronize());
        return memory;
    }

    void beginCapture() {
        ok(JCudaDriver.cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    }

    CUgraphExec capture(Runnable work) {
        beginCapture();
        work.run();
        CUgraph graph = new CUgraph();
        ok(JCudaDriver.cuStreamEndCapture(stream, graph));
        CUgraphExec executable = new CUgraphExec();
        ok(JCudaDriver.cuGraphInstantiate(executable, graph, 0));
        ok(JCudaDriver.cuGraphDestroy(graph));
        return executable;
    }
}
