package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static io.trainyard.device.cuda.RawGpu.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The double's convolutions against plain loops, and what it refuses.
@OnDouble
final class ConvolutionOfDoubleTest {
    private static final int BAD_PARAM = 2000;
    private static final int MISALIGNED = 2003;
    private static final int SIZE_INSUFFICIENT = 2006;
    private static final int SHAPE_MISMATCH = 2008;
    private static final int NOT_SUPPORTED = 3000;

    /// Deterministic ones of each direction.
    private static final int FORWARD = 1;

    private static final int TO_DATA = 1;
    private static final int TO_FILTER = 1;

    private static final int SAMPLES = 3;
    private static final int ROWS = 9;
    private static final int COLUMNS = 7;

    /// @param channels of x
    record Shape(
            boolean last,
            boolean bfloat16,
            int channels,
            int kernels,
            int kernel,
            int padding,
            int stride,
            int dilation,
            int groups) {
        int outRows() {
            return (ROWS + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
        }

        int outColumns() {
            return (COLUMNS + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
        }

        int xCount() {
            return SAMPLES * channels * ROWS * COLUMNS;
        }

        int wCount() {
            return kernels * (channels / groups) * kernel * kernel;
        }

        int yCount() {
            return SAMPLES * kernels * outRows() * outColumns();
        }

        int xAt(int n, int c, int i, int j) {
            return last ? ((n * ROWS + i) * COLUMNS + j) * channels + c : ((n * channels + c) * ROWS + i) * COLUMNS + j;
        }

        int yAt(int n, int k, int i, int j) {
            return last
                    ? ((n * outRows() + i) * outColumns() + j) * kernels + k
                    : ((n * kernels + k) * outRows() + i) * outColumns() + j;
        }

        int wAt(int k, int c, int i, int j) {
            int width = channels / groups;
            return last ? ((k * kernel + i) * kernel + j) * width + c : ((k * width + c) * kernel + i) * kernel + j;
        }
    }

    static Stream<Shape> shapes() {
        return Stream.of(false, true)
                .flatMap(last -> Stream.of(false, true)
                        .flatMap(bfloat16 -> Stream.of(
                                new Shape(last, bfloat16, 3, 8, 5, 2, 1, 1, 1),
                                new Shape(last, bfloat16, 4, 6, 3, 1, 2, 1, 2),
                                new Shape(last, bfloat16, 6, 6, 3, 0, 1, 2, 6),
                                new Shape(last, bfloat16, 5, 7, 1, 0, 2, 1, 1),
                                new Shape(last, bfloat16, 2, 33, 4, 3, 3, 1, 1))));
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

    /// Eighths: bfloat16 has them exactly, and so has TF32.
    private float[] eighths(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (random.nextInt(17) - 8) / 8f;
        }
        return values;
    }

    private interface Tap {
        void at(int y, int x, int w);
    }

    /// Every product of the convolution; the directions differ in which of the three is the sum.
    private static void taps(Shape s, Tap tap) {
        int kernels = s.kernels() / s.groups();
        int width = s.channels() / s.groups();
        for (int n = 0; n < SAMPLES; n++) {
            for (int k = 0; k < s.kernels(); k++) {
                for (int i = 0; i < s.outRows(); i++) {
                    for (int j = 0; j < s.outColumns(); j++) {
                        for (int t = 0; t < width * s.kernel() * s.kernel(); t++) {
                            int c = t / (s.kernel() * s.kernel());
                            int r = t / s.kernel() % s.kernel();
                            int q = t % s.kernel();
                            int row = i * s.stride() + r * s.dilation() - s.padding();
                            int column = j * s.stride() + q * s.dilation() - s.padding();
                            if (row >= 0 && row < ROWS && column >= 0 && column < COLUMNS) {
                                tap.at(
                                        s.yAt(n, k, i, j),
                                        s.xAt(n, k / kernels * width + c, row, column),
                                        s.wAt(k, c, r, q));
                            }
                        }
                    }
                }
            }
        }
    }

    /// The three descriptors of a shape's tensors and that of its convolution.
    private final class Described {
        final Shape shape;
        final cudnnTensorDescriptor x = new cudnnTensorDescriptor();
        final cudnnTensorDescriptor y = new cudnnTensorDescriptor();
        final cudnnFilterDescriptor w = new cudnnFilterDescriptor();
        final cudnnConvolutionDescriptor convolution = new cudnnConvolutionDescriptor();

        Described(Shape s, int math) {
            shape = s;
            int format = s.last() ? cudnnTensorFormat.CUDNN_TENSOR_NHWC : cudnnTensorFormat.CUDNN_TENSOR_NCHW;
            int type = s.bfloat16() ? cudnnDataType.CUDNN_DATA_BFLOAT16 : cudnnDataType.CUDNN_DATA_FLOAT;
            ok(JCudnn.cudnnCreateTensorDescriptor(x));
            ok(JCudnn.cudnnSetTensor4dDescriptor(x, format, type, SAMPLES, s.channels(), ROWS, COLUMNS));
            ok(JCudnn.cudnnCreateTensorDescriptor(y));
            ok(JCudnn.cudnnSetTensor4dDescriptor(y, format, type, SAMPLES, s.kernels(), s.outRows(), s.outColumns()));
            ok(JCudnn.cudnnCreateFilterDescriptor(w));
            ok(JCudnn.cudnnSetFilter4dDescriptor(
                    w, type, format, s.kernels(), s.channels() / s.groups(), s.kernel(), s.kernel()));
            ok(JCudnn.cudnnCreateConvolutionDescriptor(convolution));
            ok(JCudnn.cudnnSetConvolution2dDescriptor(
                    convolution,
                    s.padding(),
                    s.padding(),
                    s.stride(),
                    s.stride(),
                    s.dilation(),
                    s.dilation(),
                    cudnnConvolutionMode.CUDNN_CROSS_CORRELATION,
                    cudnnDataType.CUDNN_DATA_FLOAT));
            ok(JCudnn.cudnnSetConvolutionGroupCount(convolution, s.groups()));
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

    private CUdeviceptr upload(Shape s, float[] values) {
        return s.bfloat16() ? gpu.uploadAsBfloat16(values) : gpu.upload(values);
    }

    private CUdeviceptr result(Shape s, int count) {
        return gpu.allocate((s.bfloat16() ? 2L : 4L) * count);
    }

    private void compare(Shape s, CUdeviceptr actual, double[] expected) {
        float[] values =
                s.bfloat16() ? gpu.downloadBfloat16(actual, expected.length) : gpu.download(actual, expected.length);
        double relative = s.bfloat16() ? 1.0 / 256 : 1e-6; // half a unit of bfloat16's last place is 1/512
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) values[i])
                    .as("element %d", i)
                    .isCloseTo(expected[i], offset(1e-6 + relative * Math.abs(expected[i])));
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void forwardEqualsPlainLoops(Shape s) {
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        float[] x = eighths(s.xCount());
        float[] w = eighths(s.wCount());
        double[] expected = new double[s.yCount()];
        taps(s, (yAt, xAt, wAt) -> expected[yAt] += (double) x[xAt] * w[wAt]);
        CUdeviceptr y = result(s, s.yCount());
        ok(described.forward(upload(s, x), upload(s, w), y, described.workspaceBytes()));
        compare(s, y, expected);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void gradientsEqualPlainLoops(Shape s) {
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        float[] x = eighths(s.xCount());
        float[] w = eighths(s.wCount());
        float[] dy = eighths(s.yCount());
        double[] dx = new double[s.xCount()];
        double[] dw = new double[s.wCount()];
        taps(s, (yAt, xAt, wAt) -> dx[xAt] += (double) dy[yAt] * w[wAt]);
        taps(s, (yAt, xAt, wAt) -> dw[wAt] += (double) dy[yAt] * x[xAt]);
        CUdeviceptr gradient = upload(s, dy);
        CUdeviceptr workspace = gpu.allocate(1 << 20);

        CUdeviceptr toData = result(s, s.xCount());
        ok(JCudnn.cudnnConvolutionBackwardData(
                dnn,
                scalar(1),
                described.w,
                upload(s, w),
                described.y,
                gradient,
                described.convolution,
                TO_DATA,
                workspace,
                1 << 20,
                scalar(0),
                described.x,
                toData));
        compare(s, toData, dx);

        CUdeviceptr toFilter = result(s, s.wCount());
        ok(JCudnn.cudnnConvolutionBackwardFilter(
                dnn,
                scalar(1),
                described.x,
                upload(s, x),
                described.y,
                gradient,
                described.convolution,
                TO_FILTER,
                workspace,
                1 << 20,
                scalar(0),
                described.w,
                toFilter));
        compare(s, toFilter, dw);
    }

    @Test
    void aConvolutionOfFloatsIsExactOnlyWithoutTensorCores() {
        Shape s = new Shape(false, false, 1, 1, 1, 0, 1, 1, 1);
        float[] x = new float[s.xCount()];
        Arrays.fill(x, 1 + 1 / 4096f); // more digits than TF32 has
        for (int math : new int[] {cudnnMathType.CUDNN_FMA_MATH, cudnnMathType.CUDNN_DEFAULT_MATH}) {
            var described = new Described(s, math);
            CUdeviceptr y = result(s, s.yCount());
            ok(described.forward(gpu.upload(x), gpu.upload(1), y, described.workspaceBytes()));
            float expected = math == cudnnMathType.CUDNN_FMA_MATH ? 1 + 1 / 4096f : 1;
            assertThat(gpu.download(y, s.yCount())).containsOnly(expected);
        }
    }

    @Test
    void aCaptureRecordsAConvolution() {
        Shape s = shapes().findFirst().orElseThrow();
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        float[] ones = new float[s.xCount()];
        Arrays.fill(ones, 1);
        CUdeviceptr x = gpu.upload(ones);
        CUdeviceptr w = gpu.upload(eighths(s.wCount()));
        CUdeviceptr y = result(s, s.yCount());
        CUdeviceptr workspace = gpu.allocate(described.workspaceBytes());
        CUgraphExec graph = gpu.capture(() -> ok(described.forward(x, w, y, workspace, described.workspaceBytes())));
        assertThat(gpu.download(y, s.yCount())).containsOnly(Float.NaN); // nothing has run
        ok(JCudaDriver.cuGraphLaunch(graph, gpu.stream));
        float[] first = gpu.download(y, s.yCount());
        ok(described.forward(x, w, y, workspace, described.workspaceBytes()));
        assertThat(gpu.download(y, s.yCount())).isEqualTo(first).doesNotContain(Float.NaN);
    }

    @Test
    void algorithmsThatAreNotDeterministicAreNot() {
        Shape s = new Shape(false, false, 3, 8, 5, 2, 1, 1, 1);
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        int[] count = new int[1];
        var found = new cudnnConvolutionBwdFilterAlgoPerf[8];
        Arrays.setAll(found, _ -> new cudnnConvolutionBwdFilterAlgoPerf());
        ok(JCudnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                dnn, described.x, described.y, described.convolution, described.w, found.length, count, found));
        assertThat(count[0]).isBetween(7, 8); // now and then one with an absurd workspace
        assertThat(found[0].determinism).isZero();
        float[] x = new float[s.xCount()];
        float[] dy = new float[s.yCount()];
        for (int i = 0; i < x.length; i++) {
            x[i] = random.nextFloat();
        }
        for (int i = 0; i < dy.length; i++) {
            dy[i] = random.nextFloat();
        }
        CUdeviceptr data = gpu.upload(x);
        CUdeviceptr gradient = gpu.upload(dy);
        float[][] results = new float[2][];
        for (int run = 0; run < 2; run++) {
            CUdeviceptr dw = result(s, s.wCount());
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
            results[run] = gpu.download(dw, s.wCount());
        }
        assertThat(Arrays.equals(results[0], results[1])).isFalse();
        assertThat(results[0]).usingComparatorWithPrecision(1e-3f).containsExactly(results[1]);
    }

    /// What the heuristic tells is for its own math type; with the descriptor's the algorithm needs more.
    @Test
    void theWorkspaceThatTheHeuristicTellsIsTooSmall() {
        Shape s = new Shape(false, false, 3, 8, 5, 2, 1, 1, 1);
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
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
        Shape s = shapes().findFirst().orElseThrow();
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        CUdeviceptr x = gpu.upload(eighths(s.xCount()));
        CUdeviceptr w = gpu.upload(eighths(s.wCount()));
        CUdeviceptr y = result(s, s.yCount());
        long workspace = described.workspaceBytes();
        assertThat(workspace).isPositive();
        assertThat(described.forward(x, w, y, workspace - 1)).isEqualTo(SIZE_INSUFFICIENT);
        assertThat(described.forward(x, w, gpu.allocate(4L * s.yCount() - 4), workspace))
                .isEqualTo(BAD_PARAM);
        CUdeviceptr tooShort = x.withByteOffset(16L * (s.xCount() / 4 - 1)); // 16 to 28 bytes of it are left
        assertThat(described.forward(x, tooShort, y, workspace)).isEqualTo(BAD_PARAM);
        assertThat(described.forward(x, w.withByteOffset(4), y, workspace)).isEqualTo(MISALIGNED);
        assertThat(JCudnn.cudnnSetTensor4dDescriptor(described.y, 0, 0, 0, 1, 1, 1))
                .isEqualTo(BAD_PARAM);
        ok(JCudnn.cudnnSetTensor4dDescriptor(described.y, 0, 0, SAMPLES, s.kernels(), ROWS + 1, COLUMNS));
        assertThat(described.forward(x, w, y, workspace)).isEqualTo(SHAPE_MISMATCH);
        assertThat(JCudnn.cudnnGetErrorString(SHAPE_MISMATCH)).isEqualTo("CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH");
        ok(JCudnn.cudnnDestroyTensorDescriptor(described.x));
        assertThat(described.forward(x, w, y, workspace)).isEqualTo(BAD_PARAM);
    }

    @Test
    void anotherDevicesMemoryAndHandleAreRefused() {
        Shape s = shapes().findFirst().orElseThrow();
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        CUdeviceptr x = gpu.upload(eighths(s.xCount()));
        CUdeviceptr w = gpu.upload(eighths(s.wCount()));
        try (RawGpu other = new RawGpu(1)) {
            CUdeviceptr elsewhere = other.allocate(4L * s.yCount());
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
        Shape s = shapes().findFirst().orElseThrow();
        var described = new Described(s, cudnnMathType.CUDNN_FMA_MATH);
        NativeDouble.fail("cudnnConvolutionForward", 1, NOT_SUPPORTED);
        CUdeviceptr any = gpu.allocate(8);
        assertThat(described.forward(any, any, any, 0)).isEqualTo(NOT_SUPPORTED);
    }
}
