package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Against pixels looked up one by one: the values must be the table's, or those of float32 arithmetic, bit for bit.
@OnDouble
final class BatchKernelsDoubleTest {
    private static final int IMAGES = 60;
    private static final int CHANNELS = 3;
    private static final int ROWS = 7;
    private static final int COLUMNS = 5;
    private static final int BATCH = 8;
    private static final int WINDOW = 3; // steps

    private final Random random = new Random(11);
    private final byte[] images = new byte[IMAGES * CHANNELS * ROWS * COLUMNS];
    private final float[] table = new float[CHANNELS * 256];
    private final float[] values = new float[images.length]; // as images of float32
    private final float[] meansAndStds = {0.1f, 0.5f, -2, 3, 0, 1};
    private boolean asFloats;

    BatchKernelsDoubleTest() {
        random.nextBytes(images);
        for (int i = 0; i < table.length; i++) {
            table[i] = random.nextFloat(-2, 2);
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat(-9, 9);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FP32, 0, 0, 8, 0",
        "FP32, 4, 3, 5, 0",
        "FP32, 4, 3, 5, 1",
        "FP32, 7, 0, 4, 1",
        "BF16, 4, 3, 5, 0",
        "BF16, 5, 0, 8, 1",
    })
    void gathersTheSamplesOfAStep(Precision precision, int step, int first, int samples, int channelsLast) {
        int[] order = random.ints(IMAGES, 0, IMAGES).toArray();
        try (var runner = new KernelRunner(precision)) {
            for (boolean floats : new boolean[] {false, true}) {
                asFloats = floats;
                check(runner, order, null, step, first, samples, channelsLast);
                check(runner, null, null, step, first, samples, channelsLast);
                check(runner, order, changes(), step, first, samples, channelsLast);
            }
        }
    }

    private void check(
            KernelRunner runner,
            int @Nullable [] order,
            Change @Nullable [] changes,
            int step,
            int first,
            int samples,
            int channelsLast) {
        Buffer out = runner.roomForValues(samples * CHANNELS * ROWS * COLUMNS);
        runner.run(
                asFloats ? "gather_values" : "gather_batch",
                out,
                asFloats ? runner.floats(values) : runner.bytes(images),
                order == null ? null : runner.ints(order),
                runner.floats(asFloats ? meansAndStds : table),
                changes == null ? null : runner.shorts(packed(changes)),
                runner.ints(step),
                BATCH,
                first,
                samples,
                CHANNELS,
                ROWS,
                COLUMNS,
                WINDOW,
                channelsLast);
        float[] actual = runner.readValues(out);
        for (int n = 0; n < samples; n++) {
            int position = step * BATCH + first + n;
            int image = order == null ? position : order[position];
            Change change = changes == null ? NONE : changes[step % WINDOW * BATCH + first + n];
            for (int c = 0; c < CHANNELS; c++) {
                for (int r = 0; r < ROWS; r++) {
                    for (int x = 0; x < COLUMNS; x++) {
                        int at = channelsLast == 1
                                ? ((n * ROWS + r) * COLUMNS + x) * CHANNELS + c
                                : ((n * CHANNELS + c) * ROWS + r) * COLUMNS + x;
                        assertThat(actual[at])
                                .as("sample %d, channel %d, row %d, column %d", n, c, r, x)
                                .isEqualTo(runner.rounded(pixel(image, c, r, x, change)));
                    }
                }
            }
        }
    }

    private static final Change NONE = new Change(0, 0, false, 0, 0, 0, 0);

    private float pixel(int image, int channel, int row, int column, Change change) {
        if (row >= change.cutTop()
                && row < change.cutBottom()
                && column >= change.cutLeft()
                && column < change.cutRight()) {
            return 0;
        }
        int fromRow = row + change.down();
        int fromColumn = (change.flipped() ? COLUMNS - 1 - column : column) + change.right();
        boolean outside = fromRow < 0 || fromRow >= ROWS || fromColumn < 0 || fromColumn >= COLUMNS;
        int from = ((image * CHANNELS + channel) * ROWS + fromRow) * COLUMNS + fromColumn;
        return asFloats
                ? ((outside ? 0 : values[from]) - meansAndStds[2 * channel]) / meansAndStds[2 * channel + 1]
                : table[channel * 256 + (outside ? 0 : images[from] & 0xff)];
    }

    private Change[] changes() {
        return IntStream.range(0, WINDOW * BATCH)
                .mapToObj(_ -> {
                    int top = random.nextInt(ROWS);
                    int left = random.nextInt(COLUMNS);
                    return new Change(
                            random.nextInt(-4, 5),
                            random.nextInt(-9, 10), // also wholly outside
                            random.nextBoolean(),
                            top,
                            random.nextInt(top, ROWS + 1),
                            left,
                            random.nextInt(left, COLUMNS + 1));
                })
                .toArray(Change[]::new);
    }

    private static short[] packed(Change[] changes) {
        short[] packed = new short[changes.length * 7];
        for (int i = 0; i < changes.length; i++) {
            Change change = changes[i];
            int[] numbers = {
                change.down(),
                change.right(),
                change.flipped() ? 1 : 0,
                change.cutTop(),
                change.cutBottom(),
                change.cutLeft(),
                change.cutRight()
            };
            for (int k = 0; k < numbers.length; k++) {
                packed[i * numbers.length + k] = (short) numbers[k];
            }
        }
        return packed;
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FP32", "BF16"})
    void countsSteps(Precision precision) {
        try (var runner = new KernelRunner(precision)) {
            Buffer step = runner.ints(41);
            runner.run("next_step", step);
            runner.run("next_step", step);
            assertThat(runner.readInts(step)).containsExactly(43);
        }
    }
}
