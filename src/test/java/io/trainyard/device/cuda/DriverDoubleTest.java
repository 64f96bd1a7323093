package io.trainyard.device.cuda;

import static jcuda.driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_CONTEXT;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_VALUE;
import static jcuda.driver.CUresult.CUDA_ERROR_LAUNCH_FAILED;
import static jcuda.driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
import static jcuda.driver.CUresult.CUDA_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The double keeps what the driver promises, as JCuda sees it: otherwise what runs on it shows nothing.
@OnDouble
final class DriverDoubleTest {
    private static final int COUNT = 1000;
    private static final long BYTES = 4L * COUNT;

    private final CUdevice device = new CUdevice();
    private final CUcontext context = new CUcontext();
    private final CUstream stream = new CUstream();

    @BeforeAll
    static void load() {
        System.load(NativeDouble.driver().toString());
        JCudaDriver.cuInit(0);
    }

    @BeforeEach
    void open() {
        ok(JCudaDriver.cuDeviceGet(device, 0));
        ok(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        ok(JCudaDriver.cuCtxSetCurrent(context));
        ok(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    }

    @AfterEach
    void close() {
        JCudaDriver.cuDevicePrimaryCtxReset(device);
        JCudaDriver.cuDevicePrimaryCtxRelease(device);
        assertThat(NativeDouble.alive("memory")).isZero();
        assertThat(NativeDouble.alive("stream")).isZero();
    }

    @Test
    void nothingThatIsIssuedHasRunBeforeSomebodyWaits() {
        Pointer pinned = new Pointer();
        ok(JCudaDriver.cuMemHostAlloc(pinned, BYTES, 0));
        FloatBuffer host =
                pinned.getByteBuffer(0, BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
        CUdeviceptr memory = allocate();
        host.put(0, 1);
        ok(JCudaDriver.cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
        host.put(0, 2); // too early: the copy takes this
        ok(JCudaDriver.cuStreamSynchronize(stream));
        assertThat(download(memory)[0]).isEqualTo(2);

        ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, stream));
        assertThat(download(memory)[0])
                .as("read before the stream has come so far")
                .isEqualTo(2);
        ok(JCudaDriver.cuStreamSynchronize(stream));
        assertThat(download(memory)[0]).isZero();
    }

    @Test
    void aCaptureRunsNothingAndItsGraphRunsAsOftenAsItIsLaunched() {
        CUdeviceptr from = upload(fill(3));
        CUdeviceptr to = upload(fill(0));
        CUgraphExec graph = capture(() -> ok(JCudaDriver.cuMemcpyDtoDAsync(to, from, BYTES, stream)));
        ok(JCudaDriver.cuStreamSynchronize(stream));
        assertThat(download(to)).isEqualTo(fill(0));
        for (int value = 4; value < 7; value++) {
            ok(JCudaDriver.cuMemcpyHtoD(from, Pointer.to(fill(value)), BYTES));
            ok(JCudaDriver.cuCtxSynchronize());
            ok(JCudaDriver.cuGraphLaunch(graph, stream));
            ok(JCudaDriver.cuStreamSynchronize(stream));
            assertThat(download(to)).isEqualTo(fill(value));
        }
        ok(JCudaDriver.cuGraphExecDestroy(graph));
    }

    @Test
    void allocatingOrWaitingSpoilsACapture() {
        for (Runnable forbidden : new Runnable[] {
            () -> assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8))
                    .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
            () -> assertThat(JCudaDriver.cuStreamSynchronize(stream)).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
            () -> assertThat(JCudaDriver.cuCtxSynchronize()).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
        }) {
            beginCapture();
            forbidden.run();
            CUgraph graph = new CUgraph();
            assertThat(JCudaDriver.cuStreamEndCapture(stream, graph)).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            ok(JCudaDriver.cuStreamSynchronize(stream));
        }
    }

    @Test
    void aBranchOfACaptureIsReplayedWithIt() {
        CUdeviceptr memory = upload(fill(1));
        CUstream other = new CUstream();
        ok(JCudaDriver.cuStreamCreate(other, CUstream_flags.CU_STREAM_NON_BLOCKING));
        CUevent fork = new CUevent();
        CUevent join = new CUevent();
        ok(JCudaDriver.cuEventCreate(fork, 0));
        ok(JCudaDriver.cuEventCreate(join, 0));
        CUgraphExec graph = capture(() -> {
            ok(JCudaDriver.cuEventRecord(fork, stream));
            ok(JCudaDriver.cuStreamWaitEvent(other, fork, 0));
            ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, other));
            ok(JCudaDriver.cuEventRecord(join, other));
            ok(JCudaDriver.cuStreamWaitEvent(stream, join, 0));
        });
        ok(JCudaDriver.cuGraphLaunch(graph, stream));
        ok(JCudaDriver.cuStreamSynchronize(stream));
        assertThat(download(memory)).isEqualTo(fill(0));
    }

    @Test
    void aStreamWaitsForAnotherStreamsEvent() {
        CUdeviceptr memory = upload(fill(1));
        CUstream other = new CUstream();
        CUevent event = new CUevent();
        ok(JCudaDriver.cuStreamCreate(other, CUstream_flags.CU_STREAM_NON_BLOCKING));
        ok(JCudaDriver.cuEventCreate(event, 0));
        ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, other));
        ok(JCudaDriver.cuEventRecord(event, other));
        ok(JCudaDriver.cuStreamWaitEvent(stream, event, 0));
        ok(JCudaDriver.cuStreamSynchronize(stream));
        assertThat(download(memory)).isEqualTo(fill(0));
    }

    @Test
    void memoryIsBoundedAndCounted() {
        long[] free = new long[1];
        long[] total = new long[1];
        ok(JCudaDriver.cuMemGetInfo(free, total));
        assertThat(free).isEqualTo(total);
        CUdeviceptr half = new CUdeviceptr();
        ok(JCudaDriver.cuMemAlloc(half, 1 << 20));
        ok(JCudaDriver.cuMemGetInfo(free, total));
        assertThat(free[0]).isEqualTo(total[0] - (1 << 20));
        assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), total[0])).isEqualTo(CUDA_ERROR_OUT_OF_MEMORY);
        ok(JCudaDriver.cuMemFree(half));
        assertThat(JCudaDriver.cuMemFree(half)).as("freed twice").isEqualTo(CUDA_ERROR_INVALID_VALUE);
        ok(JCudaDriver.cuMemGetInfo(free, total));
        assertThat(free).isEqualTo(total);
    }

    @Test
    void memoryOfAnotherDeviceIsRefused() {
        CUdeviceptr here = upload(fill(5));
        CUdevice second = new CUdevice();
        CUcontext there = new CUcontext();
        ok(JCudaDriver.cuDeviceGet(second, 1));
        ok(JCudaDriver.cuDevicePrimaryCtxRetain(there, second));
        ok(JCudaDriver.cuCtxSetCurrent(there));
        CUdeviceptr other = allocate();
        assertThat(JCudaDriver.cuMemcpyDtoD(other, here, BYTES)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
        assertThat(NativeDouble.problem()).contains("memory of device 0 used on device 1");
        assertThat(JCudaDriver.cuMemsetD8Async(other, (byte) 0, BYTES, stream))
                .as("a stream of another device")
                .isEqualTo(jcuda.driver.CUresult.CUDA_ERROR_INVALID_HANDLE);

        ok(JCudaDriver.cuMemcpyPeerAsync(other, there, here, context, BYTES, new CUstream()));
        assertThat(download(other)).isEqualTo(fill(5));
        ok(JCudaDriver.cuDevicePrimaryCtxRelease(second));
    }

    @Test
    void aThreadWithoutAContextGetsTheErrorOfOne() throws InterruptedException {
        int[] status = new int[1];
        Thread thread = new Thread(() -> status[0] = JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8));
        thread.start();
        thread.join();
        assertThat(status[0]).isEqualTo(CUDA_ERROR_INVALID_CONTEXT);
    }

    @Test
    void whatIsPlannedFailsAtItsTurnAndOnce() {
        NativeDouble.fail("cuMemAlloc", 2, CUDA_ERROR_OUT_OF_MEMORY);
        ok(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8));
        assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8)).isEqualTo(CUDA_ERROR_OUT_OF_MEMORY);
        ok(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8));
    }

    @Test
    void afterAFailedLaunchEveryCallFailsUntilTheContextIsReset() {
        CUdeviceptr memory = allocate();
        NativeDouble.fail("cuMemsetD8Async", 1, CUDA_ERROR_LAUNCH_FAILED);
        assertThat(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, stream))
                .as("a GPU is told of it only when it gets there")
                .isEqualTo(CUDA_SUCCESS);
        assertThat(JCudaDriver.cuStreamSynchronize(stream)).isEqualTo(CUDA_ERROR_LAUNCH_FAILED);
        assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8)).isEqualTo(CUDA_ERROR_LAUNCH_FAILED);
        assertThat(JCudaDriver.cuMemFree(memory)).isEqualTo(CUDA_ERROR_LAUNCH_FAILED);

        ok(JCudaDriver.cuDevicePrimaryCtxReset(device));
        ok(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        ok(JCudaDriver.cuCtxSetCurrent(context));
        ok(JCudaDriver.cuMemAlloc(memory, BYTES));
        ok(JCudaDriver.cuDevicePrimaryCtxRelease(device));
    }

    @Test
    void aGraphThatOutlivesItsMemoryIsAnIllegalAddress() {
        CUdeviceptr memory = allocate();
        CUgraphExec graph = capture(() -> ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, stream)));
        ok(JCudaDriver.cuMemFree(memory));
        ok(JCudaDriver.cuGraphLaunch(graph, stream));
        assertThat(JCudaDriver.cuStreamSynchronize(stream)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);
    }

    private void beginCapture() {
        ok(JCudaDriver.cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    }

    private CUgraphExec capture(Runnable work) {
        beginCapture();
        work.run();
        CUgraph graph = new CUgraph();
        ok(JCudaDriver.cuStreamEndCapture(stream, graph));
        CUgraphExec executable = new CUgraphExec();
        ok(JCudaDriver.cuGraphInstantiate(executable, graph, 0));
        ok(JCudaDriver.cuGraphDestroy(graph));
        return executable;
    }

    private static CUdeviceptr allocate() {
        CUdeviceptr memory = new CUdeviceptr();
        ok(JCudaDriver.cuMemAlloc(memory, BYTES));
        return memory;
    }

    private static CUdeviceptr upload(float[] values) {
        CUdeviceptr memory = allocate();
        ok(JCudaDriver.cuMemcpyHtoD(memory, Pointer.to(values), BYTES));
        ok(JCudaDriver.cuCtxSynchronize());
        return memory;
    }

    private static float[] download(CUdeviceptr memory) {
        float[] values = new float[COUNT];
        ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(values), memory, BYTES));
        return values;
    }

    private static float[] fill(float value) {
        float[] values = new float[COUNT];
        Arrays.fill(values, value);
        return values;
    }

    private static void ok(int status) {
        assertThat(status).as(() -> NativeDouble.problem()).isEqualTo(CUDA_SUCCESS);
    }
}
