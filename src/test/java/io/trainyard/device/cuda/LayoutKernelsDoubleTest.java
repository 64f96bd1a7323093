package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What only moves, masks or rounds values: exact.
@OnDouble
final class LayoutKernelsDoubleTest {
    private final Random random = new Random(29);

    @ParameterizedTest
    @CsvSource({
        "FP32, 5, 3, 35", "FP32, 2, 64, 64", "FP32, 3, 33, 100", "FP32, 40, 1, 7", "FP32, 7, 9, 1", "FP32, 1, 70, 9",
        "BF16, 5, 3, 35", "BF16, 2, 64, 64", "BF16, 3, 33, 100", "BF16, 40, 1, 7", "BF16, 7, 9, 1", "BF16, 1, 70, 9"
    })
    void changesTheOrderOfDimensions(Precision precision, int samples, int channels, int area) {
        try (var runner = new KernelRunner(precision)) {
            float[] first = runner.rounded(normal(samples * channels * area));
            float[] last = new float[first.length];
            for (int i = 0; i < first.length; i++) {
                int n = i / area / channels;
                int c = i / area % channels;
                last[(n * area + i % area) * channels + c] = first[i];
            }
            Buffer target = runner.roomForValues(first.length);
            runner.run("to_channels_last", target, runner.values(first), samples, channels, area);
            assertThat(runner.readValues(target)).isEqualTo(last);
            runner.run("to_channels_first", target, runner.values(last), samples, channels, area);
            assertThat(runner.readValues(target)).isEqualTo(first);
            if (precision == Precision.BF16) {
                runner.run("pack_filter", target, runner.floats(first), samples, channels, area);
                assertThat(runner.readValues(target)).isEqualTo(last);
                Buffer unpacked = runner.floats(new float[first.length]);
                runner.run("unpack_filter", unpacked, runner.values(last), samples, channels, area);
                assertThat(runner.readFloats(unpacked)).isEqualTo(first);
            }
        }
    }

    @Test
    void roundsToTheNearestBfloat16() {
        float[] x = normal(5003);
        int[] bits = { // just below, at and above the middle of an even and its odd neighbour, then of an odd one
            0x3f807fff,
            0x3f808000,
            0x3f808001,
            0x3f817fff,
            0x3f818000,
            0x3f818001,
            0x7f7fffff,
            0xff7f8000,
            0x7f7f7fff, // to infinity, and not
            0x7f800000,
            0xff800000,
            0x7f800001,
            0x7fc00000,
            0xffffffff, // infinities and NaN, one of bits that get lost
            0x00000001,
            0x00008001,
            0x80008000,
            0x00000000,
            0x80000000, // below the normal ones
        };
        for (int i = 0; i < bits.length; i++) {
            x[i] = Float.intBitsToFloat(bits[i]);
        }
        try (var runner = new KernelRunner(Precision.BF16)) {
            Buffer packed = runner.roomForValues(x.length);
            runner.run("pack_values", packed, runner.floats(x), (long) x.length);
            float[] actual = runner.readValues(packed);
            for (int i = 0; i < x.length; i++) {
                assertThat(Float.floatToIntBits(actual[i])) // NaN like NaN
                        .as("the bfloat16 nearest to %08x", Float.floatToRawIntBits(x[i]))
                        .isEqualTo(Float.floatToIntBits(KernelRunner.fromBits(KernelRunner.toBits(x[i]))));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FP32, 7, 5, 63, 0, 0",
        "FP32, 7, 5, 63, 1, 0",
        "FP32, 30, 500, 1, 0, 0",
        "FP32, 7, 5, 63, 0, 1",
        "FP32, 7, 5, 63, 1, 1",
        "BF16, 7, 8, 63, 0, 1",
        "BF16, 7, 8, 63, 1, 1",
        "BF16, 30, 500, 1, 0, 1",
    })
    void dropsWhatTheStepsMaskSays(
            Precision precision, int samples, int channels, int area, int perChannel, int channelsLast) {
        int first = 2;
        int window = 4;
        int step = 7;
        int offset = 13;
        int ofLayer = (first + samples) * channels * (perChannel == 1 ? 1 : area);
        int stride = offset + ofLayer + 5; // of one step: other layers' masks before and behind
        byte[] masks = new byte[window * stride];
        for (int i = 0; i < masks.length; i++) {
            masks[i] = (byte) (random.nextInt(3) == 0 ? 0 : 1);
        }
        float scale = 1 / 0.7f;
        try (var runner = new KernelRunner(precision)) {
            float[] x = runner.rounded(normal(samples * channels * area));
            float[] expected = new float[x.length];
            for (int n = 0; n < samples; n++) {
                for (int c = 0; c < channels; c++) {
                    for (int a = 0; a < area; a++) {
                        int at = channelsLast == 1 ? (n * area + a) * channels + c : (n * channels + c) * area + a;
                        int m = perChannel == 1 ? (first + n) * channels + c : ((first + n) * channels + c) * area + a;
                        float factor = masks[step % window * stride + offset + m] == 1 ? scale : 0;
                        expected[at] = runner.rounded(x[at] * factor);
                    }
                }
            }
            Buffer values = runner.values(x);
            runner.run(
                    "dropout",
                    values,
                    values,
                    runner.bytes(masks),
                    runner.ints(step),
                    window,
                    (long) stride,
                    (long) offset,
                    first,
                    samples,
                    channels,
                    area,
                    perChannel,
                    scale,
                    channelsLast);
            assertThat(runner.readValues(values)).isEqualTo(expected);
        }
    }

    private float[] normal(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
