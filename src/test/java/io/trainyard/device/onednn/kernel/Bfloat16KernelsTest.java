package io.trainyard.device.onednn.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.check.Layers;
import io.trainyard.spec.Windows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Kernels over bfloat16 give the bits of those over float32, rounded.
class Bfloat16KernelsTest {
    private static final int CHANNELS = 20;

    private final Arena arena = Arena.ofShared();
    private final Random random = new Random(3);
    private final double[] centers = channelValues();
    private final double[] factors = channelValues();
    private final double[] shifts = channelValues();
    private final double[] constants = channelValues();

    @AfterEach
    void free() {
        arena.close();
    }

    /// Two lie half way, one of them below, the other above the even neighbour.
    @ParameterizedTest
    @CsvSource({
        "0x1p0, 0x3f80",
        "-0x1p0, 0xbf80",
        "0x1.01p0, 0x3f80",
        "0x1.010002p0, 0x3f81",
        "0x1.03p0, 0x3f82",
        "0x1.fffffep127, 0x7f80",
        "Infinity, 0x7f80",
        "-Infinity, 0xff80",
        "-0x0p0, 0x8000",
        "0x1p-149, 0x0000"
    })
    void aFloatIsRoundedToTheNearest(String value, String expected) {
        float[] values = new float[37]; // vectors and a rest
        Arrays.fill(values, Float.parseFloat(value));
        assertThat(narrowed(floats(values), 37))
                .containsOnly(Integer.decode(expected).shortValue());
    }

    /// The upper half alone of the one would be infinity, and rounding the other would overflow.
    @Test
    void whatIsNotANumberStaysSo() {
        float[] values = new float[37];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.intBitsToFloat(i % 2 == 0 ? 0x7f80_0001 : 0xffff_ffff);
        }
        MemorySegment widened = widened(shorts(narrowed(floats(values), 37)), 37);
        for (int i = 0; i < values.length; i++) {
            assertThat(widened.getAtIndex(ValueLayout.JAVA_FLOAT, i)).isNaN();
        }
    }

    static Stream<ImageLayout> layouts() {
        return Stream.of(
                blocked(3, 5, 5, 1), blocked(2, 70, 33, 1), blocked(2, 33, 9, 16), blocked(3, 5, 5, 8), channelsLast());
    }

    private static ImageLayout blocked(int samples, int rows, int columns, int lanes) {
        long run = (long) rows * columns * lanes;
        long sample = run * Math.ceilDiv(CHANNELS, lanes);
        return new ImageLayout(samples, CHANNELS, rows, columns, lanes, sample, run, (long) columns * lanes, lanes);
    }

    /// A run of several pieces, the last of which is no whole number of vectors.
    private static ImageLayout channelsLast() {
        long run = 15L * 13 * CHANNELS;
        return new ImageLayout(2, CHANNELS, 15, 13, CHANNELS, run, run, 13L * CHANNELS, CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void normsSumAndNormaliseAsThoseOfFloat32(ImageLayout layout) {
        int size = size(layout);
        MemorySegment x = random(size);
        MemorySegment addend = random(size);
        double[][] expected = new double[2][CHANNELS];
        double[][] actual = new double[2][CHANNELS];
        new ValueSums(layout, ValueType.FLOAT32).compute(widened(x, size), expected[0], expected[1]);
        new ValueSums(layout, ValueType.BFLOAT16).compute(x, actual[0], actual[1]);
        assertThat(actual).isDeepEqualTo(expected);
        for (boolean relu : new boolean[] {false, true}) {
            for (boolean adds : new boolean[] {false, true}) {
                MemorySegment floats = floats(new float[size]);
                Normalisation ofFloats = new Normalisation(layout, ValueType.FLOAT32, relu);
                ofFloats.set(centers, factors, shifts);
                ofFloats.compute(widened(x, size), adds ? widened(addend, size) : null, floats);
                MemorySegment y = shorts(new short[size]);
                Normalisation kernel = new Normalisation(layout, ValueType.BFLOAT16, relu);
                kernel.set(centers, factors, shifts);
                kernel.compute(x, adds ? addend : null, y);
                assertThat(shortsOf(y)).isEqualTo(narrowed(floats, size));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void gradientsOfNormsAreThoseOfFloat32(ImageLayout layout) {
        int size = size(layout);
        MemorySegment x = random(size);
        MemorySegment output = random(size);
        MemorySegment gradient = random(size);
        MemorySegment floats = widened(gradient, size);
        double[][] expected = new double[4][CHANNELS];
        double[][] actual = new double[4][CHANNELS];
        GradientSums ofFloats = new GradientSums(layout, ValueType.FLOAT32);
        GradientSums kernel = new GradientSums(layout, ValueType.BFLOAT16);
        ofFloats.compute(floats, widened(x, size), centers, expected[0], expected[1]);
        kernel.compute(gradient, x, centers, actual[0], actual[1]);
        ofFloats.computeBehindRelu(
                floats, widened(output, size), floats, widened(x, size), centers, expected[2], expected[3]);
        kernel.computeBehindRelu(gradient, output, gradient, x, centers, actual[2], actual[3]);
        assertThat(actual).isDeepEqualTo(expected);
        assertThat(shortsOf(gradient)).isEqualTo(narrowed(floats, size));

        NormalisationGradient inFloats = new NormalisationGradient(layout, ValueType.FLOAT32);
        inFloats.set(centers, factors, shifts, constants);
        inFloats.compute(floats, widened(x, size), floats);
        NormalisationGradient coarse = new NormalisationGradient(layout, ValueType.BFLOAT16);
        coarse.set(centers, factors, shifts, constants);
        coarse.compute(gradient, x, gradient);
        assertThat(shortsOf(gradient)).isEqualTo(narrowed(floats, size));
    }

    @ParameterizedTest
    @CsvSource({"2, 2, 0", "3, 2, 1", "3, 1, 0"})
    void poolingChoosesTheSameValues(int kernel, int stride, int padding) {
        Windows windows = Layers.pool(kernel, stride, padding, 1, false).windows();
        ImageLayout in = blocked(2, 8, 6, 16);
        int rows = (8 + 2 * padding - kernel) / stride + 1;
        int columns = (6 + 2 * padding - kernel) / stride + 1;
        ImageLayout out = blocked(2, rows, columns, 16);
        MemorySegment x = random(size(in));
        MemorySegment gradient = random(size(out));
        MemorySegment winners = floats(new float[size(out)]);
        MemorySegment floats = floats(new float[size(out)]);
        MemorySegment gradientOfFloats = floats(new float[size(in)]);
        WindowMaximum ofFloats = WindowMaximum.of(ValueType.FLOAT32, in, out, windows);
        ofFloats.forward(widened(x, size(in)), floats, winners);
        ofFloats.backward(widened(gradient, size(out)), winners, gradientOfFloats);
        MemorySegment otherWinners = floats(new float[size(out)]);
        MemorySegment largest = shorts(new short[size(out)]);
        MemorySegment ofInput = shorts(new short[size(in)]);
        WindowMaximum coarse = WindowMaximum.of(ValueType.BFLOAT16, in, out, windows);
        coarse.forward(x, largest, otherWinners);
        coarse.backward(gradient, otherWinners, ofInput);
        assertThat(otherWinners.mismatch(winners)).isEqualTo(-1);
        assertThat(shortsOf(largest)).isEqualTo(narrowed(floats, size(out)));
        assertThat(shortsOf(ofInput)).isEqualTo(narrowed(gradientOfFloats, size(in)));
    }

    @Test
    void reluPassesNaNAndItsGradient() {
        float negativeNaN = Float.intBitsToFloat(0xffc0_0000);
        float[] some = {-1, -0f, 0, 2, Float.NaN, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, negativeNaN, 1e-38f
        };
        float[] values = new float[10 * some.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = some[i % some.length];
        }
        MemorySegment x = shorts(narrowed(floats(values), values.length));
        MemorySegment y = shorts(new short[values.length]);
        MemorySegment gradient = random(values.length);
        MemorySegment ofFloats = floats(new float[values.length]);
        MemorySegment gradientOfFloats = widened(gradient, values.length);
        Relu.forward(ValueType.FLOAT32, widened(x, values.length), ofFloats);
        Relu.forward(ValueType.BFLOAT16, x, y);
        assertThat(shortsOf(y)).isEqualTo(narrowed(ofFloats, values.length));
        Relu.backward(ValueType.FLOAT32, ofFloats, gradientOfFloats, gradientOfFloats);
        Relu.backward(ValueType.BFLOAT16, y, gradient, gradient);
        assertThat(shortsOf(gradient)).isEqualTo(narrowed(gradientOfFloats, values.length));
    }

    private double[] channelValues() {
        return random.doubles(CHANNELS, -2, 2).map(value -> (float) value).toArray();
    }

    private static int size(ImageLayout layout) {
        return Math.toIntExact(layout.samples() * layout.sampleStride());
    }

    private MemorySegment random(int size) {
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return shorts(narrowed(floats(values), size));
    }

    private MemorySegment floats(float[] values) {
        return arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
    }

    private MemorySegment shorts(short[] values) {
        return arena.allocateFrom(ValueLayout.JAVA_SHORT, values);
    }

    private static short[] shortsOf(MemorySegment values) {
        return values.toArray(ValueLayout.JAVA_SHORT);
    }

    private MemorySegment widened(MemorySegment values, int size) {
        MemorySegment floats = floats(new float[size]);
        Bfloat16.widen(values, 0, floats, size);
        return floats;
    }

    /// Written behind a value that stays as it is.
    private short[] narrowed(MemorySegment floats, int size) {
        MemorySegment values = shorts(new short[size + 1]);
        Bfloat16.narrow(floats, values, 1, size);
        assertThat(values.getAtIndex(ValueLayout.JAVA_SHORT, 0)).isZero();
        return values.asSlice(Short.BYTES).toArray(ValueLayout.JAVA_SHORT);
    }
}
