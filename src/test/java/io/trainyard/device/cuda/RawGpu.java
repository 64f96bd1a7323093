package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.cuda.library.CudaLibraries;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

/// One of the double's devices, used through JCuda as it is, with one stream. Each call must succeed.
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

    /// Also after an error that the context did not survive. Nothing is left on the device.
    @Override
    public void close() {
        ok(JCudaDriver.cuDevicePrimaryCtxRelease(device));
        NativeDouble.relaunch(number);
    }

    static void ok(int status) {
        assertThat(status).as(NativeDouble::problem).isEqualTo(CUresult.CUDA_SUCCESS);
    }

    CUdeviceptr allocate(long bytes) {
        CUdeviceptr memory = new CUdeviceptr();
        ok(JCudaDriver.cuMemAlloc(memory, bytes));
        return memory;
    }

    CUdeviceptr upload(float... values) {
        return upload(Pointer.to(values), 4L * values.length);
    }

    /// Each value as a bfloat16, which it must be.
    CUdeviceptr uploadAsBfloat16(float... values) {
        short[] halves = new short[values.length];
        for (int i = 0; i < values.length; i++) {
            int bits = Float.floatToIntBits(values[i]);
            assertThat(bits & 0xffff).isZero();
            halves[i] = (short) (bits >>> 16);
        }
        return upload(Pointer.to(halves), 2L * values.length);
    }

    private CUdeviceptr upload(Pointer values, long bytes) {
        CUdeviceptr memory = allocate(bytes);
        ok(JCudaDriver.cuMemcpyHtoD(memory, values, bytes));
        ok(JCudaDriver.cuCtxSynchronize());
        return memory;
    }

    /// After all work of the stream.
    float[] download(CUdeviceptr memory, int count) {
        float[] values = new float[count];
        synchronize();
        ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(values), memory, 4L * count));
        return values;
    }

    float[] downloadBfloat16(CUdeviceptr memory, int count) {
        short[] halves = new short[count];
        synchronize();
        ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(halves), memory, 2L * count));
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = Float.intBitsToFloat(halves[i] << 16);
        }
        return values;
    }

    void synchronize() {
        ok(JCudaDriver.cuStreamSynchronize(stream));
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

    /// cuDNN's and cuBLAS's alpha or beta.
    static Pointer scalar(float value) {
        return Pointer.to(ByteBuffer.allocateDirect(Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .putFloat(0, value));
    }
}
