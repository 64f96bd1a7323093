package io.trainyard.device.onednn.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.ChildJvm;
import io.trainyard.spec.Extent;
import io.trainyard.spec.Pooling.MaxPool2d;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Windows;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The kernels beside plain loops, on values among which are equals, zeros, infinities and NaN.
class KernelsTest {
    private static final float[] SPECIAL = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0, -0f, 1, -1};

    /// Two samples of images of 19 channels, or of 32.
    ///
    /// @param lanes channels side by side; all of them where channels are last
    record PoolCase(int channels, int lanes, int rows, int columns, MaxPool2d spec) {
        private static ImageLayout layout(int channels, int lanes, int rows, int columns) {
            long area = (long) rows * columns;
            long blocks = Math.ceilDiv(channels, lanes);
            return new ImageLayout(
                    2,
                    channels,
                    rows,
                    columns,
                    lanes,
                    blocks * area * lanes,
                    area * lanes,
                    (long) columns * lanes,
                    lanes);
        }

        ImageLayout in() {
            return layout(channels, lanes, rows, columns);
        }

        ImageLayout out() {
            Shape out = spec.output(Shape.of(channels, rows, columns));
            return layout(channels, lanes, out.size(1), out.size(2));
        }

        Windows windows() {
            return spec.windows();
        }
    }

    static Stream<PoolCase> pools() {
        Extent one = Extent.square(1);
        return Stream.of(
                        new MaxPool2d(null, 2, 2),
                        new MaxPool2d(null, 3, 2),
                        new MaxPool2d(null, 3, 1),
                        new MaxPool2d(null, 2, 3),
                        new MaxPool2d(null, 2, 1),
                        new MaxPool2d(null, 4, 4),
                        new MaxPool2d(null, Extent.square(3), Extent.square(2), one, one, false),
                        new MaxPool2d(null, Extent.square(2), Extent.square(2), one, one, false),
                        new MaxPool2d(null, Extent.square(2), Extent.square(2), Extent.square(0), one, true),
                        new MaxPool2d(null, Extent.square(2), one, Extent.square(0), Extent.square(3), false),
                        new MaxPool2d(null, new Extent(3, 2), new Extent(1, 2), new Extent(1, 0), one, true),
                        new MaxPool2d(null, new Extent(2, 1), new Extent(2, 1), Extent.square(0), one, false))
                .flatMap(spec -> Stream.of(
                        new PoolCase(19, 8, 8, 6, spec),
                        new PoolCase(19, 16, 7, 9, spec),
                        new PoolCase(32, 32, 6, 5, spec)));
    }

    private static MemorySegment floats(Arena arena, ImageLayout layout) {
        return arena.allocate(layout.samples() * layout.sampleStride() * Float.BYTES, 64);
    }

    private static void set(MemorySegment values, long index, float value) {
        values.setAtIndex(ValueLayout.JAVA_FLOAT, index, value);
    }

    private static float get(MemorySegment values, long index) {
        return values.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    private static float draw(Random random) {
        return random.nextInt(4) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)] : random.nextFloat() - 0.5f;
    }

    /// NaN is NaN, and both zeros are 0.
    private static void requireSame(float expected, float actual) {
        assertThat(Float.compare(actual + 0f, expected + 0f))
                .as("%s, expected is %s", actual, expected)
                .isZero();
    }

    /// What is there before is overwritten: it is not 0.
    private static void fill(MemorySegment values, ImageLayout layout, Random random) {
        for (int n = 0; n < layout.samples(); n++) {
            for (int c = 0; c < layout.channels(); c++) {
                for (int i = 0; i < layout.area(); i++) {
                    set(values, layout.index(n, c, i / layout.columns(), i % layout.columns()), draw(random));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pools")
    void theLargestOfEachWindowIsFoundAndGetsTheGradient(PoolCase pool) {
        check(pool);
    }

    private static void check(PoolCase pool) {
        ImageLayout in = pool.in();
        ImageLayout out = pool.out();
        Random random = new Random(pool.hashCode());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = floats(arena, in);
            MemorySegment largest = floats(arena, out);
            MemorySegment winners = floats(arena, out);
            MemorySegment gradient = floats(arena, out);
            MemorySegment inGradient = floats(arena, in);
            MaxPool kernel = new MaxPool(in, out, pool.windows());
            for (int round = 0; round < 3; round++) { // the second finds what the first left
                fill(values, in, random);
                fill(gradient, out, random);
                kernel.forward(values, largest, winners);
                kernel.backward(gradient, winners, inGradient);
                compare(pool, values, largest, gradient, inGradient);
            }
        }
    }

    private static void compare(
            PoolCase pool, MemorySegment values, MemorySegment largest, MemorySegment gradient, MemorySegment found) {
        ImageLayout in = pool.in();
        ImageLayout out = pool.out();
        float[] expected = new float[(int) (found.byteSize() / Float.BYTES)]; // padding is 0
        double[] sums = new double[expected.length];
        for (int n = 0; n < in.samples(); n++) {
            for (int c = 0; c < in.channels(); c++) {
                for (int i = 0; i < out.area(); i++) {
                    int row = i / out.columns();
                    int column = i % out.columns();
                    long best = largest(pool, values, n, c, row, column);
                    long at = out.index(n, c, row, column);
                    requireSame(get(values, best), get(largest, at));
                    sums[(int) best] += get(gradient, at);
                }
            }
        }
        for (int i = 0; i < expected.length; i++) {
            float sum = get(found, i);
            boolean same = Double.isFinite(sums[i])
                    ? Math.abs(sum - sums[i]) <= 1e-5 * Math.max(1, Math.abs(sums[i]))
                    : Double.compare(sum, sums[i]) == 0;
            assertThat(same)
                    .as("%s: gradient %d is %s, expected is %s", pool, i, sum, sums[i])
                    .isTrue();
        }
    }

    /// Where it is, window by window and tap by tap.
    private static long largest(PoolCase pool, MemorySegment values, int n, int c, int row, int column) {
        MaxPool2d spec = pool.spec();
        long best = -1;
        for (int k = 0; k < spec.kernel().area(); k++) {
            int a = row * spec.stride().rows()
                    - spec.padding().rows()
                    + k / spec.kernel().columns() * spec.dilation().rows();
            int b = column * spec.stride().columns()
                    - spec.padding().columns()
                    + k % spec.kernel().columns() * spec.dilation().columns();
            if (a < 0 || a >= pool.rows() || b < 0 || b >= pool.columns()) {
                continue;
            }
            long next = pool.in().index(n, c, a, b);
            if (best < 0 || get(values, next) > get(values, best) || Float.isNaN(get(values, next))) {
                best = next;
            }
        }
        return best;
    }

    /// 21 values: whole vectors and a rest.
    @Test
    void reluPassesNaNOnAndItsGradientEndsWhereTheOutputIsNotAboveZero() {
        checkRelu();
    }

    private static void checkRelu() {
        Random random = new Random(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment x = arena.allocate(21 * Float.BYTES, 64);
            MemorySegment y = arena.allocate(x.byteSize(), 64);
            MemorySegment gradient = arena.allocate(x.byteSize(), 64);
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 21; i++) {
                    set(x, i, draw(random));
                    set(gradient, i, draw(random));
                }
                float[] given = gradient.toArray(ValueLayout.JAVA_FLOAT);
                Relu.forward(ValueType.FLOAT32, x, y);
                Relu.backward(ValueType.FLOAT32, y, gradient, gradient);
                for (int i = 0; i < 21; i++) {
                    requireSame(Math.max(0f, get(x, i)), get(y, i));
                    requireSame(get(x, i) <= 0 ? 0 : given[i], get(gradient, i));
                }
            }
        }
    }

    @Test
    void naNIsRestored() {
        checkNaN();
    }

    private static void checkNaN() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(21 * Float.BYTES, 64);
            MemorySegment to = arena.allocate(from.byteSize(), 64);
            for (int i = 0; i < 21; i++) {
                set(from, i, i % 5 == 0 ? Float.NaN : i % 5 == 1 ? Float.NEGATIVE_INFINITY : i);
                set(to, i, 7);
            }
            NaN.keep(from, to);
            for (int i = 0; i < 21; i++) {
                requireSame(i % 5 == 0 ? Float.NaN : 7, get(to, i));
            }
        }
    }

    @Test
    void imagesWithOtherLanesAreRefused() {
        ImageLayout plain = PoolCase.layout(4, 1, 4, 4);
        assertThat(plain.inVectors()).isFalse();
        assertThatThrownBy(() -> new MaxPool(plain, PoolCase.layout(4, 1, 2, 2), new MaxPool2d(null, 2, 2).windows()))
                .hasMessage(
                        "images have 1 channels side by side, what is made of them 1; both must be the same multiple of "
                                + Lanes.COUNT);
    }

    /// What processes with shorter vectors run.
    static final class Shorter {
        private Shorter() {}

        public static void main(String[] arguments) {
            pools().forEach(KernelsTest::check);
            checkRelu();
            checkNaN();
            System.out.println("checked with vectors of " + Lanes.COUNT);
        }
    }

    @Test
    void shorterVectorsGiveTheSame() throws IOException, InterruptedException {
        String output = ChildJvm.run(
                Shorter.class,
                System.getProperty("java.class.path"),
                "--add-modules",
                "jdk.incubator.vector",
                "-XX:MaxVectorSize=16");
        assertThat(output).contains("checked with vectors of 4");
    }
}
