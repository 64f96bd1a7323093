package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Against loops over the windows that add up what each gives back. Values are whole numbers from a small range, so
/// that many in a window are equal, with some NaN.
@OnDouble
final class PoolingKernelsDoubleTest {
    private final Random random = new Random(23);

    /// Where (n, c, r, x) is.
    private record Layout(int channels, int rows, int columns, boolean channelsLast) {
        int at(int n, int c, int r, int x) {
            return channelsLast
                    ? ((n * rows + r) * columns + x) * channels + c
                    : ((n * channels + c) * rows + r) * columns + x;
        }

        int size(int samples) {
            return samples * channels * rows * columns;
        }
    }

    @ParameterizedTest
    @CsvSource({
        // one group a row, several, none; windows that touch, overlap, leave gaps
        "FP32, 3, 5, 8, 8, 2, 2, false",
        "FP32, 9, 8, 24, 24, 2, 2, false",
        "FP32, 2, 3, 9, 7, 3, 2, false",
        "FP32, 2, 3, 11, 12, 2, 3, false",
        "FP32, 2, 3, 8, 16, 3, 1, false",
        "FP32, 1, 1, 5, 5, 5, 1, false",
        "FP32, 3, 8, 8, 6, 2, 2, true",
        "FP32, 2, 5, 9, 7, 3, 2, true",
        "BF16, 3, 16, 8, 6, 2, 2, true",
        "BF16, 2, 8, 9, 7, 3, 1, true",
        "BF16, 2, 5, 9, 7, 3, 2, true",
        "BF16, 2, 3, 8, 16, 3, 2, false",
    })
    void takesTheLargestAndGivesItsGradientBack(
            Precision precision,
            int samples,
            int channels,
            int rows,
            int columns,
            int kernel,
            int stride,
            boolean channelsLast) {
        int outRows = (rows - kernel) / stride + 1;
        int outColumns = (columns - kernel) / stride + 1;
        Layout in = new Layout(channels, rows, columns, channelsLast);
        Layout out = new Layout(channels, outRows, outColumns, channelsLast);
        float[] x = wholeNumbers(in.size(samples));
        x[x.length / 2] = Float.NaN;
        float[] dy = wholeNumbers(out.size(samples));
        double[] largest = new double[dy.length];
        double[] dx = new double[x.length];
        for (int n = 0; n < samples; n++) {
            for (int c = 0; c < channels; c++) {
                for (int r = 0; r < outRows; r++) {
                    for (int q = 0; q < outColumns; q++) {
                        int best = in.at(n, c, r * stride, q * stride);
                        for (int a = 0; a < kernel; a++) {
                            for (int b = 0; b < kernel; b++) {
                                int other = in.at(n, c, r * stride + a, q * stride + b);
                                best = x[other] > x[best] || Float.isNaN(x[other]) ? other : best;
                            }
                        }
                        largest[out.at(n, c, r, q)] = x[best];
                        dx[best] += dy[out.at(n, c, r, q)];
                    }
                }
            }
        }
        try (var runner = new KernelRunner(precision)) {
            Object[] shape = {
                samples, channels, rows, columns, outRows, outColumns, kernel, stride, channelsLast ? 1 : 0
            };
            Buffer y = runner.roomForValues(dy.length);
            Buffer index = runner.room(dy.length * Integer.BYTES);
            runner.run("max_pool_forward", arguments(shape, y, index, runner.values(x)));
            runner.assertNear(runner.readValues(y), largest, 0);
            Buffer gradient = runner.roomForValues(x.length);
            runner.run("max_pool_backward", arguments(shape, gradient, runner.values(dy), index));
            runner.assertNear(runner.readValues(gradient), dx, 0);
        }
    }

    private static Object[] arguments(Object[] shape, Buffer... buffers) {
        Object[] arguments = new Object[buffers.length + shape.length];
        System.arraycopy(buffers, 0, arguments, 0, buffers.length);
        System.arraycopy(shape, 0, arguments, buffers.length, shape.length);
        return arguments;
    }

    @Test
    void takesMinusInfinityWhereThereIsNothingElse() {
        try (var runner = new KernelRunner(Precision.FP32)) {
            float least = Float.NEGATIVE_INFINITY;
            Buffer y = runner.roomForValues(1);
            Buffer index = runner.ints(-1);
            Buffer x = runner.values(least, least, least, least);
            runner.run("max_pool_forward", y, index, x, 1, 1, 2, 2, 1, 1, 2, 2, 0);
            assertThat(runner.readValues(y)).containsExactly(least);
            assertThat(runner.readInts(index)).containsExactly(0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FP32, 3, 5, 8, 8, 1, 1, false",
        "FP32, 9, 3, 7, 10, 4, 3, false", // neighbouring windows share pixels
        "FP32, 2, 3, 4, 3, 6, 5, false", // more windows than pixels
        "FP32, 3, 6, 7, 5, 3, 4, true",
        "BF16, 9, 16, 8, 8, 1, 2, true",
        "BF16, 2, 3, 7, 10, 4, 4, false",
    })
    void averagesWindowsThatCoverTheImage(
            Precision precision,
            int samples,
            int channels,
            int rows,
            int columns,
            int outRows,
            int outColumns,
            boolean channelsLast) {
        Layout from = new Layout(channels, rows, columns, channelsLast);
        Layout to = new Layout(channels, outRows, outColumns, channelsLast);
        float[] x = wholeNumbers(from.size(samples));
        float[] dy = wholeNumbers(to.size(samples));
        double[] means = new double[dy.length];
        double[] dx = new double[x.length];
        for (int n = 0; n < samples; n++) {
            for (int c = 0; c < channels; c++) {
                for (int r = 0; r < outRows; r++) {
                    for (int q = 0; q < outColumns; q++) {
                        int top = r * rows / outRows;
                        int bottom = Math.ceilDiv((r + 1) * rows, outRows);
                        int left = q * columns / outColumns;
                        int right = Math.ceilDiv((q + 1) * columns, outColumns);
                        int area = (bottom - top) * (right - left);
                        for (int i = top; i < bottom; i++) {
                            for (int j = left; j < right; j++) {
                                means[to.at(n, c, r, q)] += (double) x[from.at(n, c, i, j)] / area;
                                dx[from.at(n, c, i, j)] += (double) dy[to.at(n, c, r, q)] / area;
                            }
                        }
                    }
                }
            }
        }
        try (var runner = new KernelRunner(precision)) {
            Object[] shape = {samples, channels, rows, columns, outRows, outColumns, channelsLast ? 1 : 0};
            Buffer y = runner.roomForValues(dy.length);
            runner.run("adaptive_avg_pool_forward", arguments(shape, y, runner.values(x)));
            runner.assertNear(runner.readValues(y), means, 1e-5);
            Buffer gradient = runner.roomForValues(x.length);
            runner.run("adaptive_avg_pool_backward", arguments(shape, gradient, runner.values(dy)));
            runner.assertNear(runner.readValues(gradient), dx, 1e-5);
        }
    }

    private float[] wholeNumbers(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-4, 5);
        }
        return values;
    }
}
