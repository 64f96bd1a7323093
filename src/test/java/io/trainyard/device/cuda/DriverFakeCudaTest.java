package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static jcuda.driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_VALUE;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The fake driver behaves like the real one as seen through JCuda. Otherwise tests on it would prove nothing.
@OnFakeCuda
final class DriverFakeCudaTest {
    private static final int COUNT = 1000;
    private static final long BYTES = 4L * COUNT;

    private RawGpu gpu;

    @BeforeEach
    void open() {
        gpu = new RawGpu(0);
    }

    @AfterEach
    void close() {
        gpu.close();
        assertThat(FakeCudaLibraries.alive("memory")).isZero();
        assertThat(FakeCudaLibraries.alive("stream")).isZero();
        assertThat(FakeCudaLibraries.alive("executable")).isZero();
    }

    @Test
    void issuedWorkRunsOnlyWhenAwaited() {
        Pointer pinned = new Pointer();
        ok(JCudaDriver.cuMemHostAlloc(pinned, BYTES, 0));
        FloatBuffer host =
                pinned.getByteBuffer(0, BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
        CUdeviceptr memory = gpu.allocate(BYTES);
        host.put(0, 1);
        ok(JCudaDriver.cuMemcpyHtoDAsync(memory, pinned, BYTES, gpu.stream));
        host.put(0, 2); // too early: the copy reads this value
        ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
        assertThat(read(memory)[0]).isEqualTo(2);

        ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, gpu.stream));
        assertThat(read(memory)[0]).as("read before the stream has come so far").isEqualTo(2);
        ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
        assertThat(read(memory)[0]).isZero();
    }

    @Test
    void aCaptureRunsOnlyWhenItsGraphIsLaunched() {
        CUdeviceptr from = gpu.upload(fill(3));
        CUdeviceptr to = gpu.upload(fill(0));
        CUgraphExec graph = gpu.capture(() -> ok(JCudaDriver.cuMemcpyDtoDAsync(to, from, BYTES, gpu.stream)));
        ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
        assertThat(read(to)).isEqualTo(fill(0));
        for (int value = 4; value < 7; value++) {
            ok(JCudaDriver.cuMemcpyHtoD(from, Pointer.to(fill(value)), BYTES));
            ok(JCudaDriver.cuCtxSynchronize());
            ok(JCudaDriver.cuGraphLaunch(graph, gpu.stream));
            ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
            assertThat(read(to)).isEqualTo(fill(value));
        }
        ok(JCudaDriver.cuGraphExecDestroy(graph));
    }

    @Test
    void allocatingOrWaitingSpoilsACapture() {
        for (Runnable forbidden : new Runnable[] {
            () -> assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8))
                    .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
            () -> assertThat(JCudaDriver.cuStreamSynchronize(gpu.stream))
                    .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
            () -> assertThat(JCudaDriver.cuCtxSynchronize()).isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
        }) {
            gpu.beginCapture();
            forbidden.run();
            CUgraph graph = new CUgraph();
            assertThat(JCudaDriver.cuStreamEndCapture(gpu.stream, graph))
                    .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
        }
    }

    /// As on a GPU if the capture missed an event: either branch may be first.
    @Test
    void branchesThatNothingOrdersRunInEitherOrder() {
        CUdeviceptr memory = gpu.upload(fill(1));
        CUgraphExec graph = forked(
                other -> ok(JCudaDriver.cuMemsetD32Async(memory, 1, COUNT, other)),
                () -> ok(JCudaDriver.cuMemsetD32Async(memory, 2, COUNT, gpu.stream)));
        List<Float> last = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            ok(JCudaDriver.cuGraphLaunch(graph, gpu.stream));
            ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
            last.add(read(memory)[0]);
        }
        assertThat(last).contains(Float.intBitsToFloat(1), Float.intBitsToFloat(2));
    }

    @Test
    void branchesRunInTheOrderThatTheirEventsGive() {
        CUdeviceptr memory = gpu.upload(fill(0));
        CUdeviceptr from = gpu.upload(fill(0));
        CUgraphExec graph = forked(
                other -> {
                    ok(JCudaDriver.cuMemsetD32Async(memory, 1, COUNT, other));
                    ok(JCudaDriver.cuMemsetD32Async(memory, 2, COUNT, other));
                },
                () -> ok(JCudaDriver.cuMemsetD32Async(from, 3, COUNT, gpu.stream)));
        for (int i = 0; i < 30; i++) {
            ok(JCudaDriver.cuGraphLaunch(graph, gpu.stream));
            ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
            assertThat(read(memory)[0]).isEqualTo(Float.intBitsToFloat(2));
        }
    }

    private CUgraphExec forked(Consumer<CUstream> branch, Runnable meanwhile) {
        CUstream other = new CUstream();
        ok(JCudaDriver.cuStreamCreate(other, CUstream_flags.CU_STREAM_NON_BLOCKING));
        CUevent fork = new CUevent();
        CUevent join = new CUevent();
        ok(JCudaDriver.cuEventCreate(fork, 0));
        ok(JCudaDriver.cuEventCreate(join, 0));
        return gpu.capture(() -> {
            ok(JCudaDriver.cuEventRecord(fork, gpu.stream));
            ok(JCudaDriver.cuStreamWaitEvent(other, fork, 0));
            branch.accept(other);
            meanwhile.run();
            ok(JCudaDriver.cuEventRecord(join, other));
            ok(JCudaDriver.cuStreamWaitEvent(gpu.stream, join, 0));
        });
    }

    @Test
    void aStreamWaitsForAnotherStreamsEvent() {
        CUdeviceptr memory = gpu.upload(fill(1));
        CUstream other = new CUstream();
        CUevent event = new CUevent();
        ok(JCudaDriver.cuStreamCreate(other, CUstream_flags.CU_STREAM_NON_BLOCKING));
        ok(JCudaDriver.cuEventCreate(event, 0));
        ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, other));
        ok(JCudaDriver.cuEventRecord(event, other));
        ok(JCudaDriver.cuStreamWaitEvent(gpu.stream, event, 0));
        ok(JCudaDriver.cuStreamSynchronize(gpu.stream));
        assertThat(read(memory)).isEqualTo(fill(0));
    }

    @Test
    void memoryOfAnotherDeviceIsRefused() {
        CUdeviceptr here = gpu.upload(fill(5));
        try (RawGpu second = new RawGpu(1)) {
            CUdeviceptr other = second.allocate(BYTES);
            assertThat(JCudaDriver.cuMemcpyDtoD(other, here, BYTES)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
            assertThat(FakeCudaLibraries.problem()).contains("memory of device 0 used on device 1");
            assertThat(JCudaDriver.cuMemsetD8Async(other, (byte) 0, BYTES, gpu.stream))
                    .as("a stream of another device")
                    .isEqualTo(CUresult.CUDA_ERROR_INVALID_HANDLE);

            ok(JCudaDriver.cuMemcpyPeerAsync(other, second.context, here, gpu.context, BYTES, new CUstream()));
            assertThat(read(other)).isEqualTo(fill(5));
        }
    }

    @Test
    void aGraphThatOutlivesItsMemoryIsAnIllegalAddress() {
        CUdeviceptr memory = gpu.allocate(BYTES);
        CUgraphExec graph = gpu.capture(() -> ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, BYTES, gpu.stream)));
        ok(JCudaDriver.cuMemFree(memory));
        ok(JCudaDriver.cuGraphLaunch(graph, gpu.stream));
        assertThat(JCudaDriver.cuStreamSynchronize(gpu.stream)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);
    }

    /// Freeing does not wait for another device that still copies from the memory.
    @Test
    void memoryIsFreedOnceItsOwnDeviceIsDone() {
        CUdeviceptr here = gpu.upload(fill(5));
        try (RawGpu second = new RawGpu(1)) {
            CUdeviceptr there = second.allocate(BYTES);
            ok(JCudaDriver.cuMemcpyPeerAsync(there, second.context, here, gpu.context, BYTES, second.stream));
            ok(JCudaDriver.cuCtxSetCurrent(gpu.context));
            ok(JCudaDriver.cuMemFree(here));
            ok(JCudaDriver.cuCtxSetCurrent(second.context));
            assertThat(JCudaDriver.cuStreamSynchronize(second.stream)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS);
        }
    }

    private float[] read(CUdeviceptr memory) {
        float[] values = new float[COUNT];
        ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(values), memory, BYTES));
        return values;
    }

    private static float[] fill(float value) {
        float[] values = new float[COUNT];
        Arrays.fill(values, value);
        return values;
    }
}
