package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static io.trainyard.device.cuda.RawGpu.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUgraphExec;
import jcuda.driver.JCudaDriver;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnConvolutionBwdFilterAlgoPerf;
import jcuda.jcudnn.cudnnConvolutionDescriptor;
import jcuda.jcudnn.cudnnConvolutionFwdAlgoPerf;
import jcuda.jcudnn.cudnnConvolutionMode;
import jcuda.jcudnn.cudnnDataType;
import jcuda.jcudnn.cudnnFilterDescriptor;
import jcuda.jcudnn.cudnnHandle;
import jcuda.jcudnn.cudnnMathType;
import jcuda.jcudnn.cudnnTensorDescriptor;
import jcuda.jcudnn.cudnnTensorFormat;
import jcuda.runtime.cudaStream_t;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the double's convolutions round, leave open and refuse. That they are right the device's own tests show.
@OnDouble
final class ConvolutionOfDoubleTest {
    private static final int BAD_PARAM = 2000;
    private static final int MISALIGNED = 2003;
    private static final int SIZE_INSUFFICIENT = 2006;
    private static final int SHAPE_MISMATCH = 2008;
    private static final int NOT_SUPPORTED = 3000;

    private static final int FORWARD = 1; // an algorithm that is deterministic

    private static final int SAMPLES = 3;
    private static final int ROWS = 9;
    private static final int COLUMNS = 7;
    private static final Shape SHAPE = new Shape(3, 8, 5, 2);

    /// A convolution of float32 with its channels first.
    ///
    /// @param channels of x
    record Shape(int channels, int kernels, int kernel, int padding) {
        int outRows() {
            return ROWS + 2 * padding - kernel + 1;
        }

        int outColumns() {
            return COLUMNS + 2 * padding - kernel + 1;
        }

        int xCount() {
            return SAMPLES * channels * ROWS * COLUMNS;
        }

        int wCount() {
            return kernels * channels * kernel * kernel;
        }

        int yCount() {
            return SAMPLES * kernels * outRows() * outColumns();
        }
    }

    private RawGpu gpu;
    private final cudnnHandle dnn = new cudnnHandle();
    private final Random random = new Random(7);

    @BeforeEach
    void open() {
        gpu = new RawGpu(0);
        ok(JCudnn.cudnnCreate(dnn));
        ok(JCudnn.cudnnSetStream(dnn, new cudaStream_t(gpu.stream)));
    }

    @AfterEach
    void close() {
        ok(JCudnn.cudnnDestroy(dnn));
        gpu.close();
    }

    private float[] uniform(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat();
        }
        return values;
    }

    /// The three descriptors of a shape's tensors and that of its convolution.
    private final class Described {
        final cudnnTensorDescriptor x = new cudnnTensorDescriptor();
        final cudnnTensorDescriptor y = new cudnnTensorDescriptor();
        final cudnnFilterDescriptor w = new cudnnFilterDescriptor();
        final cudnnConvolutionDescriptor convolution = new cudnnConvolutionDescriptor();

        Described(Shape s, int math) {
            int format = cudnnTensorFormat.CUDNN_TENSOR_NCHW;
            int type = cudnnDataType.CUDNN_DATA_FLOAT;
            ok(JCudnn.cudnnCreateTensorDescriptor(x));
            ok(JCudnn.cudnnSetTensor4dDescriptor(x, format, type, SAMPLES, s.channels(), ROWS, COLUMNS));
            ok(JCudnn.cudnnCreateTensorDescriptor(y));
            ok(JCudnn.cudnnSetTensor4dDescriptor(y, format, type, SAMPLES, s.kernels(), s.outRows(), s.outColumns()));
            ok(JCudnn.cudnnCreateFilterDescriptor(w));
            ok(JCudnn.cudnnSetFilter4dDescriptor(w, type, format, s.kernels(), s.channels(), s.kernel(), s.kernel()));
            ok(JCudnn.cudnnCreateConvolutionDescriptor(convolution));
            ok(JCudnn.cudnnSetConvolution2dDescriptor(
                    convolution,
                    s.padding(),
                    s.padding(),
                    1,
                    1,
                    1,
                    1,
                    cudnnConvolutionMode.CUDNN_CROSS_CORRELATION,
                    cudnnDataType.CUDNN_DATA_FLOAT));
            ok(JCudnn.cudnnSetConvolutionMathType(convolution, math));
        }

        long workspaceBytes() {
            long[] bytes = new long[1];
            ok(JCudnn.cudnnGetConvolutionForwardWorkspaceSize(dnn, x, w, convolution, y, FORWARD, bytes));
            return bytes[0];
        }

        /// y = x * w.
        int forward(CUdeviceptr xAt, CUdeviceptr wAt, CUdeviceptr yAt, long workspaceBytes) {
            CUdeviceptr workspace = gpu.allocate(Math.max(workspaceBytes, 1));
            return forward(xAt, wAt, yAt, workspace, workspaceBytes);
        }

        int forward(CUdeviceptr xAt, CUdeviceptr wAt, CUdeviceptr yAt, CUdeviceptr workspace, long workspaceBytes) {
            return JCudnn.cudnnConvolutionForward(
                    dnn, scalar(1), x, xAt, w, wAt, convolution, FORWARD, workspace, workspaceBytes, scalar(0), y, yAt);
        }
    }

    private CUdeviceptr result(int count) {
        return gpu.allocate(4L * count);
    }

    @Test
    void aConvolutionOfFloatsIsExactOnlyWithoutTensorCores() {
        Shape s = new Shape(1, 1, 1, 0);
        float[] x = new float[s.xCount()];
        Arrays.fill(x, 1 + 1 / 4096f); // more digits than TF32 has
        for (int math : new int[] {cudnnMathType.CUDNN_FMA_MATH, cudnnMathType.CUDNN_DEFAULT_MATH}) {
            var described = new Described(s, math);
            CUdeviceptr y = result(s.yCount());
            ok(described.forward(gpu.upload(x), gpu.upload(1), y, described.workspaceBytes()));
            float expected = math == cudnnMathType.CUDNN_FMA_MATH ? 1 + 1 / 4096f : 1;
            assertThat(gpu.download(y, s.yCount())).containsOnly(expected);
        }
    }

    @Test
    void aCaptureRecordsAConvolution() {
        var described = new Described(SHAPE, cudnnMathType.CUDNN_FMA_MATH);
        float[] ones = new float[SHAPE.xCount()];
        Arrays.fill(ones, 1);
        CUdeviceptr x = gpu.upload(ones);
        CUdeviceptr w = gpu.upload(uniform(SHAPE.wCount()));
        CUdeviceptr y = result(SHAPE.yCount());
        CUdeviceptr workspace = gpu.allocate(described.workspaceBytes());
        CUgraphExec graph = gpu.capture(() -> ok(described.forward(x, w, y, workspace, described.workspaceBytes())));
        assertThat(gpu.download(y, SHAPE.yCount())).containsOnly(Float.NaN); // nothing has run
        ok(JCudaDriver.cuGraphLaunch(graph, gpu.stream));
        float[] first = gpu.download(y, SHAPE.yCount());
        ok(described.forward(x, w, y, workspace, described.workspaceBytes()));
        assertThat(gpu.download(y, SHAPE.yCount())).isEqualTo(first).doesNotContain(Float.NaN);
    }

    @Test
    void algorithmsThatAreNotDeterministicAreNot() {
        var described = new Described(SHAPE, cudnnMathType.CUDNN_FMA_MATH);
        int[] count = new int[1];
        var found = new cudnnConvolutionBwdFilterAlgoPerf[8];
        Arrays.setAll(found, _ -> new cudnnConvolutionBwdFilterAlgoPerf());
        ok(JCudnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                dnn, described.x, described.y, described.convolution, described.w, found.length, count, found));
        assertThat(count[0]).isBetween(7, 8); // now and then one with an absurd workspace
        assertThat(found[0].determinism).isZero();
        CUdeviceptr data = gpu.upload(uniform(SHAPE.xCount()));
        CUdeviceptr gradient = gpu.upload(uniform(SHAPE.yCount()));
        float[][] results = new float[2][];
        for (int run = 0; run < 2; run++) {
            CUdeviceptr dw = result(SHAPE.wCount());
            ok(JCudnn.cudnnConvolutionBackwardFilter(
                    dnn,
                    scalar(1),
                    described.x,
                    data,
                    described.y,
                    gradient,
                    described.convolution,
                    found[0].algo,
                    gpu.allocate(1),
                    0,
                    scalar(0),
                    described.w,
                    dw));
            results[run] = gpu.download(dw, SHAPE.wCount());
        }
        assertThat(Arrays.equals(results[0], results[1])).isFalse();
        assertThat(results[0]).usingComparatorWithPrecision(1e-3f).containsExactly(results[1]);
    }

    /// What the heuristic tells is for its own math type; with the descriptor's the algorithm needs more.
    @Test
    void theWorkspaceThatTheHeuristicTellsIsTooSmall() {
        var described = new Described(SHAPE, cudnnMathType.CUDNN_FMA_MATH);
        int[] count = new int[1];
        var found = new cudnnConvolutionFwdAlgoPerf[16];
        boolean absurd = false;
        for (int i = 0; i < 40; i++) {
            Arrays.setAll(found, _ -> new cudnnConvolutionFwdAlgoPerf());
            ok(JCudnn.cudnnGetConvolutionForwardAlgorithm_v7(
                    dnn, described.x, described.w, described.convolution, described.y, found.length, count, found));
            absurd |= found[0].memory < 0;
        }
        assertThat(absurd)
                .as("a size of 2^63 and more, as one of 64 bits with a sign")
                .isTrue();
        var first = Arrays.stream(found).filter(f -> f.memory > 0).findFirst().orElseThrow();
        long[] needed = new long[1];
        ok(JCudnn.cudnnGetConvolutionForwardWorkspaceSize(
                dnn, described.x, described.w, described.convolution, described.y, first.algo, needed));
        assertThat(first.memory).isLessThan(needed[0]);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        var described = new Described(SHAPE, cudnnMathType.CUDNN_FMA_MATH);
        CUdeviceptr x = gpu.upload(uniform(SHAPE.xCount()));
        CUdeviceptr w = gpu.upload(uniform(SHAPE.wCount()));
        CUdeviceptr y = result(SHAPE.yCount());
        long workspace = described.workspaceBytes();
        assertThat(workspace).isPositive();
        assertThat(described.forward(x, w, y, workspace - 1)).isEqualTo(SIZE_INSUFFICIENT);
        assertThat(described.forward(x, w, gpu.allocate(4L * SHAPE.yCount() - 4), workspace))
                .isEqualTo(BAD_PARAM);
        CUdeviceptr tooShort = x.withByteOffset(16L * (SHAPE.xCount() / 4 - 1)); // 16 to 28 bytes of it are left
        assertThat(described.forward(x, tooShort, y, workspace)).isEqualTo(BAD_PARAM);
        assertThat(described.forward(x, w.withByteOffset(4), y, workspace)).isEqualTo(MISALIGNED);
        assertThat(JCudnn.cudnnSetTensor4dDescriptor(described.y, 0, 0, 0, 1, 1, 1))
                .isEqualTo(BAD_PARAM);
        ok(JCudnn.cudnnSetTensor4dDescriptor(described.y, 0, 0, SAMPLES, SHAPE.kernels(), ROWS + 1, COLUMNS));
        assertThat(described.forward(x, w, y, workspace)).isEqualTo(SHAPE_MISMATCH);
        assertThat(JCudnn.cudnnGetErrorString(SHAPE_MISMATCH)).isEqualTo("CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH");
        ok(JCudnn.cudnnDestroyTensorDescriptor(described.x));
        assertThat(described.forward(x, w, y, workspace)).isEqualTo(BAD_PARAM);
    }

    @Test
    void anotherDevicesMemoryAndHandleAreRefused() {
        var described = new Described(SHAPE, cudnnMathType.CUDNN_FMA_MATH);
        CUdeviceptr x = gpu.upload(uniform(SHAPE.xCount()));
        CUdeviceptr w = gpu.upload(uniform(SHAPE.wCount()));
        try (RawGpu other = new RawGpu(1)) {
            CUdeviceptr elsewhere = other.allocate(4L * SHAPE.yCount());
            assertThat(described.forward(x, w, elsewhere, 1 << 10)).isEqualTo(BAD_PARAM);
            assertThat(NativeDouble.problem()).contains("handle is of another device");
            ok(JCudaDriver.cuCtxSetCurrent(gpu.context));
            assertThat(described.forward(x, w, elsewhere, described.workspaceBytes()))
                    .isEqualTo(BAD_PARAM);
            assertThat(NativeDouble.problem()).contains("memory of device 1 used on device 0");
        }
        ok(JCudaDriver.cuCtxSetCurrent(gpu.context));
    }

    @Test
    void whatIsPlannedIsNotSupported() {
        var described = new Described(SHAPE, cudnnMathType.CUDNN_FMA_MATH);
        NativeDouble.fail("cudnnConvolutionForward", 1, NOT_SUPPORTED);
        CUdeviceptr any = gpu.allocate(8);
        assertThat(described.forward(any, any, any, 0)).isEqualTo(NOT_SUPPORTED);
    }
}
