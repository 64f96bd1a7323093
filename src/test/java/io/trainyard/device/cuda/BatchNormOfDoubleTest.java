package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static io.trainyard.device.cuda.RawGpu.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import jcuda.driver.CUdeviceptr;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnBatchNormMode;
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
import org.junit.jupiter.params.provider.ValueSource;

/// The double's batch norm and average pooling against plain loops.
@OnDouble
final class BatchNormOfDoubleTest {
    private static final int SPATIAL = cudnnBatchNormMode.CUDNN_BATCHNORM_SPATIAL;
    private static final int SAMPLES = 3;
    private static final int CHANNELS = 5;
    private static final int SIZE = 6;
    private static final int AREA = SIZE * SIZE;
    private static final int COUNT = SAMPLES * CHANNELS * AREA;
    private static final int OF_CHANNEL = SAMPLES * AREA;
    private static final double EPSILON = 1e-5;
    private static final double FACTOR = 0.1;

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

    /// Sums f over the channel's elements.
    private static double sum(int format, int c, IntToDoubleFunction f) {
        double sum = 0;
        for (int i = 0; i < OF_CHANNEL; i++) {
            sum += f.applyAsDouble(at(format, i / AREA, c, i % AREA));
        }
        return sum;
    }

    private static int channelAt(int format, int i) {
        return format == 0 ? i / AREA % CHANNELS : i % CHANNELS;
    }

    private static void near(float[] actual, double[] expected) {
        float[] floats = new float[expected.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) expected[i];
        }
        assertThat(actual).usingComparatorWithPrecision(2e-5f).containsExactly(floats);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void batchNormEqualsPlainLoops(int format) {
        float[] x = uniform(COUNT);
        float[] dy = uniform(COUNT);
        float[] scale = uniform(CHANNELS);
        float[] bias = uniform(CHANNELS);
        float[] oldMean = uniform(CHANNELS);
        float[] oldVariance = {1, 2, 3, 4, 5};
        double[] mean = new double[CHANNELS];
        double[] inverse = new double[CHANNELS];
        double[] newMean = new double[CHANNELS];
        double[] newVariance = new double[CHANNELS];
        double[] ofScale = new double[CHANNELS];
        double[] ofBias = new double[CHANNELS];
        for (int c = 0; c < CHANNELS; c++) {
            double m = sum(format, c, i -> x[i]) / OF_CHANNEL;
            double squares = sum(format, c, i -> (x[i] - m) * (x[i] - m));
            double inv = 1 / Math.sqrt(squares / OF_CHANNEL + EPSILON);
            mean[c] = m;
            inverse[c] = inv;
            newMean[c] = (1 - FACTOR) * oldMean[c] + FACTOR * m;
            newVariance[c] = (1 - FACTOR) * oldVariance[c] + FACTOR * squares / (OF_CHANNEL - 1);
            ofBias[c] = sum(format, c, i -> dy[i]);
            ofScale[c] = sum(format, c, i -> dy[i] * (x[i] - m) * inv);
        }
        double[] y = new double[COUNT];
        double[] dx = new double[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int c = channelAt(format, i);
            double normal = (x[i] - mean[c]) * inverse[c];
            y[i] = normal * scale[c] + bias[c];
            dx[i] = scale[c] * inverse[c] * (dy[i] - (ofBias[c] + normal * ofScale[c]) / OF_CHANNEL);
        }

        cudnnTensorDescriptor image = tensor(format, SIZE, SIZE);
        var parameters = new cudnnTensorDescriptor();
        ok(JCudnn.cudnnCreateTensorDescriptor(parameters));
        ok(JCudnn.cudnnDeriveBNTensorDescriptor(parameters, image, SPATIAL));
        CUdeviceptr xAt = gpu.upload(x);
        CUdeviceptr yAt = gpu.allocate(4L * COUNT);
        CUdeviceptr scaleAt = gpu.upload(scale);
        CUdeviceptr biasAt = gpu.upload(bias);
        CUdeviceptr meanAt = gpu.upload(oldMean);
        CUdeviceptr varianceAt = gpu.upload(oldVariance);
        CUdeviceptr savedMean = gpu.allocate(4L * CHANNELS);
        CUdeviceptr savedInverse = gpu.allocate(4L * CHANNELS);
        ok(JCudnn.cudnnBatchNormalizationForwardTraining(
                dnn,
                SPATIAL,
                scalar(1),
                scalar(0),
                image,
                xAt,
                image,
                yAt,
                parameters,
                scaleAt,
                biasAt,
                FACTOR,
                meanAt,
                varianceAt,
                EPSILON,
                savedMean,
                savedInverse));
        near(gpu.download(yAt, COUNT), y);
        near(gpu.download(savedMean, CHANNELS), mean);
        near(gpu.download(savedInverse, CHANNELS), inverse);
        near(gpu.download(meanAt, CHANNELS), newMean);
        near(gpu.download(varianceAt, CHANNELS), newVariance);

        CUdeviceptr dxAt = gpu.allocate(4L * COUNT);
        CUdeviceptr ofScaleAt = gpu.allocate(4L * CHANNELS);
        CUdeviceptr ofBiasAt = gpu.allocate(4L * CHANNELS);
        ok(JCudnn.cudnnBatchNormalizationBackward(
                dnn,
                SPATIAL,
                scalar(1),
                scalar(0),
                scalar(1),
                scalar(0),
                image,
                xAt,
                image,
                gpu.upload(dy),
                image,
                dxAt,
                parameters,
                scaleAt,
                ofScaleAt,
                ofBiasAt,
                EPSILON,
                savedMean,
                savedInverse));
        near(gpu.download(dxAt, COUNT), dx);
        near(gpu.download(ofScaleAt, CHANNELS), ofScale);
        near(gpu.download(ofBiasAt, CHANNELS), ofBias);

        ok(JCudnn.cudnnBatchNormalizationForwardInference(
                dnn,
                SPATIAL,
                scalar(1),
                scalar(0),
                image,
                xAt,
                image,
                yAt,
                parameters,
                scaleAt,
                biasAt,
                meanAt,
                varianceAt,
                EPSILON));
        double[] inferred = new double[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int c = channelAt(format, i);
            inferred[i] = (x[i] - newMean[c]) / Math.sqrt(newVariance[c] + EPSILON) * scale[c] + bias[c];
        }
        near(gpu.download(yAt, COUNT), inferred);
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
