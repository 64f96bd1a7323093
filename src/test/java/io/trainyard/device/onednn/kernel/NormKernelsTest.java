package io.trainyard.device.onednn.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every kernel against plain loops in double precision, in every kind of layout: row-major, blocks of 8 and 16 with
/// padding, channels last; and with images that are no whole number of vectors.
class NormKernelsTest {
    private static final int CHANNELS = 20;
    private static final Offset<Float> ROUNDING = Offset.offset(2e-6f);

    private final Arena arena = Arena.ofShared();
    private final Random random = new Random(4);
    private final double[] centers = channelValues();
    private final double[] factors = channelValues();
    private final double[] shifts = channelValues();
    private final double[] constants = channelValues();

    static Stream<ImageLayout> layouts() {
        return Stream.of(
                blocked(3, 5, 5, 1),
                blocked(3, 4, 8, 1),
                blocked(3, 5, 5, 8),
                blocked(2, 4, 4, 16),
                lastChannels(3, 5, 3));
    }

    private static ImageLayout blocked(int samples, int rows, int columns, int lanes) {
        long run = (long) rows * columns * lanes;
        long sample = run * Math.ceilDiv(CHANNELS, lanes);
        return new ImageLayout(samples, CHANNELS, rows, columns, lanes, sample, run, (long) columns * lanes, lanes);
    }

    private static ImageLayout lastChannels(int samples, int rows, int columns) {
        long run = (long) rows * columns * CHANNELS;
        return new ImageLayout(
                samples, CHANNELS, rows, columns, CHANNELS, run, run, (long) columns * CHANNELS, CHANNELS);
    }

    @AfterEach
    void free() {
        arena.close();
    }

    /// The channels are a million deviations from zero: no single-precision sum, and no sum of squares, would do.
    @ParameterizedTest
    @MethodSource("layouts")
    void meansAndDeviationsAreExactFarFromZero(ImageLayout layout) {
        MemorySegment x = images(layout, 1000, 1e-3);
        double[] means = new double[CHANNELS];
        double[] deviations = new double[CHANNELS];
        new ValueSums(layout, ValueType.FLOAT32).compute(x, means, deviations);
        new ValueSums(layout, ValueType.FLOAT32).compute(x, means, deviations);
        for (int c = 0; c < CHANNELS; c++) {
            double sum = 0;
            for (long i : indices(layout, c)) {
                sum += x.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            }
            double mean = sum / indices(layout, c).length;
            double squares = 0;
            for (long i : indices(layout, c)) {
                squares += Math.pow(x.getAtIndex(ValueLayout.JAVA_FLOAT, i) - mean, 2);
            }
            assertThat(means[c]).isCloseTo(mean, Offset.offset(1e-12));
            assertThat(deviations[c]).isCloseTo(squares, Offset.offset(1e-9 * squares));
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void normalisesAddsAndCutsOff(ImageLayout layout) {
        MemorySegment x = images(layout, 0, 1);
        MemorySegment addend = images(layout, 0, 1);
        for (boolean relu : new boolean[] {false, true}) {
            for (MemorySegment added : new MemorySegment[] {null, addend}) {
                MemorySegment y = empty(layout);
                Normalisation kernel = new Normalisation(layout, ValueType.FLOAT32, relu);
                kernel.set(centers, factors, shifts);
                kernel.compute(x, added, y);
                for (int c = 0; c < CHANNELS; c++) {
                    for (long i : indices(layout, c)) {
                        double sum =
                                (at(x, i) - centers[c]) * factors[c] + shifts[c] + (added == null ? 0 : at(added, i));
                        float expected = (float) (relu ? Math.max(0, sum) : sum);
                        assertThat(at(y, i)).isCloseTo(expected, ROUNDING);
                    }
                }
                assertPaddingIsZero(layout, y);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void sumsOfGradientsAreThoseBehindTheRelu(ImageLayout layout) {
        MemorySegment x = images(layout, 0, 1);
        MemorySegment source = images(layout, 0, 1);
        MemorySegment output = images(layout, 0, 1); // of a ReLU that might have let negative values pass
        output.setAtIndex(ValueLayout.JAVA_FLOAT, layout.index(1, 3, 2, 1), Float.NaN);
        output.setAtIndex(ValueLayout.JAVA_FLOAT, layout.index(1, 3, 2, 2), 0);
        for (boolean relu : new boolean[] {false, true}) {
            MemorySegment gradient = empty(layout);
            double[] sums = new double[CHANNELS];
            double[] products = new double[CHANNELS];
            GradientSums kernel = new GradientSums(layout, ValueType.FLOAT32);
            if (relu) {
                kernel.computeBehindRelu(source, output, gradient, x, centers, sums, products);
            } else {
                kernel.compute(source, x, centers, sums, products);
            }
            for (int c = 0; c < CHANNELS; c++) {
                double sum = 0;
                double product = 0;
                for (long i : indices(layout, c)) {
                    float expected = relu && at(output, i) <= 0 ? 0 : at(source, i);
                    assertThat(at(gradient, i)).isEqualTo(relu ? expected : 0);
                    sum += expected;
                    product += expected * (at(x, i) - centers[c]);
                }
                assertThat(sums[c]).isCloseTo(sum, Offset.offset(1e-12));
                assertThat(products[c]).isCloseTo(product, Offset.offset(1e-12));
            }
            assertPaddingIsZero(layout, gradient);
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void gradientsAreLinearInGradientAndInput(ImageLayout layout) {
        MemorySegment x = images(layout, 0, 1);
        MemorySegment gradient = images(layout, 0, 1);
        MemorySegment of = empty(layout);
        NormalisationGradient kernel = new NormalisationGradient(layout, ValueType.FLOAT32);
        kernel.set(centers, factors, shifts, constants);
        kernel.compute(gradient, x, of);
        for (int c = 0; c < CHANNELS; c++) {
            for (long i : indices(layout, c)) {
                double expected = factors[c] * at(gradient, i) + shifts[c] * (at(x, i) - centers[c]) + constants[c];
                assertThat(at(of, i)).isCloseTo((float) expected, ROUNDING);
            }
        }
        assertPaddingIsZero(layout, of);
    }

    /// The groups are a hundred deviations from zero.
    @ParameterizedTest
    @MethodSource("layouts")
    void groupsOfChannelsAreNormalisedInEachSample(ImageLayout layout) {
        int groups = 5;
        int ofGroup = CHANNELS / groups;
        MemorySegment x = images(layout, 100, 1);
        MemorySegment gradient = images(layout, 0, 1);
        MemorySegment scales = arena.allocate(CHANNELS * Float.BYTES, 64);
        MemorySegment shifts = arena.allocate(CHANNELS * Float.BYTES, 64);
        for (int c = 0; c < CHANNELS; c++) {
            scales.setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) factors[c]);
            shifts.setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) this.shifts[c]);
        }
        MemorySegment y = empty(layout);
        MemorySegment of = empty(layout);
        GroupNormalisation kernel = new GroupNormalisation(layout.ofOne(), layout.samples(), groups, 1e-5f);
        kernel.forward(x, scales, shifts, y);
        kernel.backward(gradient, x, scales, of);
        MemorySegment ofScales = arena.allocate(CHANNELS * Float.BYTES, 64);
        MemorySegment ofShifts = arena.allocate(CHANNELS * Float.BYTES, 64);
        kernel.readParameterGradients(ofScales, ofShifts);

        double[] expectedScales = new double[CHANNELS];
        double[] expectedShifts = new double[CHANNELS];
        for (int n = 0; n < layout.samples(); n++) {
            for (int g = 0; g < groups; g++) {
                long[] set = new long[ofGroup * layout.area()];
                for (int i = 0; i < set.length; i++) {
                    int pixel = i % layout.area();
                    int channel = g * ofGroup + i / layout.area();
                    set[i] = layout.index(n, channel, pixel / layout.columns(), pixel % layout.columns());
                }
                double mean =
                        LongStream.of(set).mapToDouble(i -> at(x, i)).average().orElseThrow();
                double variance = LongStream.of(set)
                        .mapToDouble(i -> Math.pow(at(x, i) - mean, 2))
                        .average()
                        .orElseThrow();
                double inverse = 1 / Math.sqrt(variance + 1e-5f);
                double average = 0;
                double product = 0;
                for (int i = 0; i < set.length; i++) {
                    int channel = g * ofGroup + i / layout.area();
                    double h = (at(x, set[i]) - mean) * inverse;
                    double expected = h * factors[channel] + this.shifts[channel];
                    assertThat(at(y, set[i])).isCloseTo((float) expected, ROUNDING);
                    average += factors[channel] * at(gradient, set[i]) / set.length;
                    product += factors[channel] * at(gradient, set[i]) * h / set.length;
                    expectedScales[channel] += at(gradient, set[i]) * h;
                    expectedShifts[channel] += at(gradient, set[i]);
                }
                for (int i = 0; i < set.length; i++) {
                    double own = factors[g * ofGroup + i / layout.area()] * at(gradient, set[i]);
                    double h = (at(x, set[i]) - mean) * inverse;
                    assertThat(at(of, set[i])).isCloseTo((float) (inverse * (own - average - h * product)), ROUNDING);
                }
            }
        }
        for (int c = 0; c < CHANNELS; c++) {
            assertThat(at(ofScales, c)).isCloseTo((float) expectedScales[c], Offset.offset(1e-5f));
            assertThat(at(ofShifts, c)).isCloseTo((float) expectedShifts[c], Offset.offset(1e-5f));
        }
        assertPaddingIsZero(layout, y);
        assertPaddingIsZero(layout, of);
    }

    /// As float32 has them.
    private double[] channelValues() {
        return random.doubles(CHANNELS, -1, 1).map(value -> (float) value).toArray();
    }

    private static float at(MemorySegment values, long index) {
        return values.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    private MemorySegment empty(ImageLayout layout) {
        return arena.allocate(layout.samples() * layout.sampleStride() * Float.BYTES, 64);
    }

    private MemorySegment images(ImageLayout layout, double mean, double deviation) {
        MemorySegment images = empty(layout);
        for (int c = 0; c < CHANNELS; c++) {
            for (long i : indices(layout, c)) {
                double value = mean + deviation * random.nextGaussian();
                images.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
            }
        }
        return images;
    }

    private static long[] indices(ImageLayout layout, int channel) {
        long[] indices = new long[layout.samples() * layout.area()];
        for (int i = 0; i < indices.length; i++) {
            int pixel = i % layout.area();
            indices[i] = layout.index(i / layout.area(), channel, pixel / layout.columns(), pixel % layout.columns());
        }
        return indices;
    }

    private static void assertPaddingIsZero(ImageLayout layout, MemorySegment images) {
        for (int n = 0; n < layout.samples(); n++) {
            long begin = layout.begin(n, layout.blocks() - 1);
            for (long i = 0; i < layout.run(); i++) {
                if (i % layout.lanes() >= layout.channelsOf(layout.blocks() - 1)) {
                    assertThat(at(images, begin + i)).isZero();
                }
            }
        }
    }
}
