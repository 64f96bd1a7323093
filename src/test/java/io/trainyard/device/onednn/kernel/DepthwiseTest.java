package io.trainyard.device.onednn.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Beside plain loops in double precision, over images smaller and larger than their windows.
class DepthwiseTest {
    private static final int SAMPLES = 3;
    private static final int CHANNELS = 20;
    private static final Offset<Float> ROUNDING = Offset.offset(1e-5f);

    private final Arena arena = Arena.ofShared();
    private final Random random = new Random(5);

    record Case(int lanes, int rows, int columns, Conv2d spec) {
        Shape out() {
            return spec.output(Shape.of(CHANNELS, rows, columns));
        }
    }

    static Stream<Case> cases() {
        return Stream.of(8, 16)
                .flatMap(lanes -> Stream.of(
                        new Case(lanes, 1, 1, spec(3, 1, 1, 1)),
                        new Case(lanes, 2, 2, spec(7, 1, 3, 1)),
                        new Case(lanes, 2, 3, spec(3, 2, 1, 1)),
                        new Case(lanes, 5, 4, spec(3, 2, 2, 2)),
                        new Case(lanes, 6, 6, spec(2, 2, 0, 1)),
                        new Case(lanes, 7, 5, spec(3, 1, 0, 2))));
    }

    private static Conv2d spec(int kernel, int stride, int padding, int dilation) {
        return new Conv2d(null, CHANNELS, kernel, stride, padding, dilation, CHANNELS, true);
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void convolvesEachChannelByItself(Case sample) {
        ImageLayout in = layout(sample, sample.rows(), sample.columns());
        ImageLayout out = layout(sample, sample.out().size(1), sample.out().size(2));
        int taps = sample.spec().kernel().rows() * sample.spec().kernel().columns();
        Depthwise kernel = new Depthwise(in, out, sample.spec().windows());
        MemorySegment x = images(in);
        MemorySegment gradient = images(out);
        MemorySegment weight = kernels(in, taps);
        MemorySegment bias = kernels(in, 1);
        MemorySegment y = empty(out.blocks() * out.run() * SAMPLES);
        MemorySegment plain = empty(out.blocks() * out.run() * SAMPLES);
        MemorySegment ofWeight = empty((long) in.blocks() * in.lanes() * taps);
        MemorySegment ofBias = empty((long) in.blocks() * in.lanes());
        kernel.forward(x, weight, bias, y);
        kernel.forward(x, weight, null, plain);
        kernel.kernelGradient(x, gradient, ofWeight);
        kernel.biasGradient(gradient, ofBias);

        double[] expectedWeight = new double[in.blocks() * in.lanes() * taps];
        double[] expectedBias = new double[in.blocks() * in.lanes()];
        for (int n = 0; n < SAMPLES; n++) {
            for (int c = 0; c < CHANNELS; c++) {
                for (int i = 0; i < out.area(); i++) {
                    long at = out.index(n, c, i / out.columns(), i % out.columns());
                    double sum = 0;
                    expectedBias[c] += at(gradient, at);
                    for (int t = 0; t < taps; t++) {
                        int width = sample.spec().kernel().columns();
                        int row = sample.spec().windows().rows().begin(i / out.columns())
                                + t / width * sample.spec().dilation().rows();
                        int column = sample.spec().windows().columns().begin(i % out.columns())
                                + t % width * sample.spec().dilation().columns();
                        if (row >= 0 && row < in.rows() && column >= 0 && column < in.columns()) {
                            int place = (c / in.lanes() * taps + t) * in.lanes() + c % in.lanes();
                            float value = at(x, in.index(n, c, row, column));
                            sum += (double) value * at(weight, place);
                            expectedWeight[place] += (double) value * at(gradient, at);
                        }
                    }
                    assertThat(at(plain, at)).isCloseTo((float) sum, ROUNDING);
                    assertThat(at(y, at)).isCloseTo((float) (sum + at(bias, c)), ROUNDING);
                }
            }
        }
        assertAll(ofWeight, expectedWeight);
        assertAll(ofBias, expectedBias);
    }

    private static void assertAll(MemorySegment values, double[] expected) {
        for (int i = 0; i < expected.length; i++) {
            assertThat(at(values, i)).as("number %d", i).isCloseTo((float) expected[i], ROUNDING);
        }
    }

    private static ImageLayout layout(Case sample, int rows, int columns) {
        int lanes = sample.lanes();
        long run = (long) rows * columns * lanes;
        long all = run * Math.ceilDiv(CHANNELS, lanes);
        return new ImageLayout(SAMPLES, CHANNELS, rows, columns, lanes, all, run, (long) columns * lanes, lanes);
    }

    private static float at(MemorySegment values, long index) {
        return values.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    private MemorySegment empty(long floats) {
        return arena.allocate(floats * Float.BYTES, 64);
    }

    private MemorySegment images(ImageLayout layout) {
        MemorySegment images = empty(layout.sampleStride() * SAMPLES);
        for (int n = 0; n < SAMPLES; n++) {
            for (int c = 0; c < CHANNELS; c++) {
                for (int i = 0; i < layout.area(); i++) {
                    long index = layout.index(n, c, i / layout.columns(), i % layout.columns());
                    images.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) random.nextGaussian());
                }
            }
        }
        return images;
    }

    /// Of so many taps; 0 for the channels that fill the last block.
    private MemorySegment kernels(ImageLayout layout, int taps) {
        MemorySegment kernels = empty((long) layout.blocks() * layout.lanes() * taps);
        for (int c = 0; c < CHANNELS; c++) {
            for (int t = 0; t < taps; t++) {
                long place = ((long) c / layout.lanes() * taps + t) * layout.lanes() + c % layout.lanes();
                kernels.setAtIndex(ValueLayout.JAVA_FLOAT, place, (float) random.nextGaussian());
            }
        }
        return kernels;
    }
}
