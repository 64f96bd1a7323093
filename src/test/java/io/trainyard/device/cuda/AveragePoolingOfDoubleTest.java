package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static io.trainyard.device.cuda.RawGpu.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import jcuda.driver.CUdeviceptr;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnDataType;
import jcuda.jcudnn.cudnnHandle;
import jcuda.jcudnn.cudnnNanPropagation;
import jcuda.jcudnn.cudnnPoolingDescriptor;
import jcuda.jcudnn.cudnnPoolingMode;
import jcuda.jcudnn.cudnnTensorDescriptor;
import jcuda.runtime.cudaStream_t;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The double's average pooling against plain loops.
@OnDouble
final class AveragePoolingOfDoubleTest {
    private static final int SAMPLES = 3;
    private static final int CHANNELS = 5;
    private static final int SIZE = 6;
    private static final int AREA = SIZE * SIZE;
    private static final int COUNT = SAMPLES * CHANNELS * AREA;

    private RawGpu gpu;
    private final cudnnHandle dnn = new cudnnHandle();
    private final Random random = new Random(5);

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
            values[i] = 2 * random.nextFloat() - 0.5f;
        }
        return values;
    }

    private static cudnnTensorDescriptor tensor(int format, int rows, int columns) {
        var tensor = new cudnnTensorDescriptor();
        ok(JCudnn.cudnnCreateTensorDescriptor(tensor));
        ok(JCudnn.cudnnSetTensor4dDescriptor(
                tensor, format, cudnnDataType.CUDNN_DATA_FLOAT, SAMPLES, CHANNELS, rows, columns));
        return tensor;
    }

    /// Where (n, c, a) is.
    private static int at(int format, int n, int c, int a) {
        return format == 0 ? (n * CHANNELS + c) * AREA + a : (n * AREA + a) * CHANNELS + c;
    }

    private static void near(float[] actual, double[] expected) {
        float[] floats = new float[expected.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) expected[i];
        }
        assertThat(actual).usingComparatorWithPrecision(2e-5f).containsExactly(floats);
    }

    /// Windows of 3 that move by 2 over 6 rows with a border of 1: 3 of them, the first with 2 rows of the image.
    @ParameterizedTest
    @CsvSource({"0,true", "0,false", "1,true", "1,false"})
    void averagePoolingEqualsPlainLoops(int format, boolean countPadding) {
        int out = 3;
        float[] x = uniform(COUNT);
        float[] dy = uniform(SAMPLES * CHANNELS * out * out);
        double[] y = new double[dy.length];
        double[] dx = new double[COUNT];
        for (int i = 0; i < SAMPLES * CHANNELS * out * out; i++) {
            int n = i / (CHANNELS * out * out);
            int c = i / (out * out) % CHANNELS;
            int row = i / out % out * 2 - 1;
            int column = i % out * 2 - 1;
            int to = format == 0 ? i : (n * out * out + i % (out * out)) * CHANNELS + c;
            int rows = row < 0 ? 2 : 3;
            int columns = column < 0 ? 2 : 3;
            double share = 1.0 / (countPadding ? 9 : rows * columns);
            for (int k = 0; k < 9; k++) {
                int r = row + k / 3;
                int q = column + k % 3;
                if (r >= 0 && q >= 0) {
                    int from = at(format, n, c, r * SIZE + q);
                    y[to] += x[from] * share;
                    dx[from] += dy[to] * share;
                }
            }
        }
        var pooling = new cudnnPoolingDescriptor();
        ok(JCudnn.cudnnCreatePoolingDescriptor(pooling));
        ok(JCudnn.cudnnSetPooling2dDescriptor(
                pooling,
                countPadding
                        ? cudnnPoolingMode.CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                        : cudnnPoolingMode.CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                cudnnNanPropagation.CUDNN_PROPAGATE_NAN,
                3,
                3,
                1,
                1,
                2,
                2));
        cudnnTensorDescriptor large = tensor(format, SIZE, SIZE);
        cudnnTensorDescriptor small = tensor(format, out, out);
        CUdeviceptr xAt = gpu.upload(x);
        CUdeviceptr yAt = gpu.allocate(4L * dy.length);
        ok(JCudnn.cudnnPoolingForward(dnn, pooling, scalar(1), large, xAt, scalar(0), small, yAt));
        near(gpu.download(yAt, dy.length), y);
        CUdeviceptr dxAt = gpu.allocate(4L * COUNT);
        ok(JCudnn.cudnnPoolingBackward(
                dnn, pooling, scalar(1), small, yAt, small, gpu.upload(dy), large, xAt, scalar(0), large, dxAt));
        near(gpu.download(dxAt, COUNT), dx);
    }
}
