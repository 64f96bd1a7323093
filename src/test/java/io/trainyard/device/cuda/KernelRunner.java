package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.layer.Numbers;
import io.trainyard.device.cuda.library.CudaLibraries;
import io.trainyard.spec.Precision;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// Runs kernels one by one on arrays. Values are those of a precision; what goes in is rounded to it.
final class KernelRunner implements AutoCloseable {
    /// Few, so that each thread comes round more than once in a tensor of some thousand values.
    private static final int BLOCKS = 3;

    private static final int BFLOAT16_BITS = 16;

    private static final int BEHIND = 64; // bytes
    private static final byte ALL_ONES = -1;

    private final Gpu gpu;
    private final Numbers numbers;
    private final Kernels kernels;
    private final List<Buffer> behind = new ArrayList<>();

    KernelRunner(Precision precision) {
        var _ = CudaLibraries.loaded();
        gpu = new Gpu(0);
        numbers = Numbers.of(precision);
        kernels = new Kernels(gpu, KernelSource.text(), numbers.options());
    }

    /// The nearest value of the precision.
    float rounded(double value) {
        float nearest = (float) value;
        return numbers.converts() ? fromBits(toBits(nearest)) : nearest;
    }

    float[] rounded(float... values) {
        float[] rounded = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            rounded[i] = rounded(values[i]);
        }
        return rounded;
    }

    /// How far a value may be from the exact one after one rounding to the precision, and a few to float32.
    double relativeError() {
        return numbers.converts() ? 0x1p-8 : 1e-5;
    }

    /// Of the two bfloat16 around x the nearer one; the even one in the middle.
    static short toBits(float x) {
        int upper = Float.floatToRawIntBits(x) >> BFLOAT16_BITS;
        if (Float.isNaN(x)) {
            return (short) (upper | 0x40);
        }
        double below = Math.abs((double) x - fromBits((short) upper));
        float next =
                fromBits((short) (upper + 1)); // away from 0; after the largest comes infinity, as if it were 2^128
        double above = Math.abs((Float.isInfinite(next) ? Math.copySign(0x1p128, x) : (double) next) - x);
        boolean up = above < below || (above == below && upper % 2 != 0);
        return (short) (up && !Float.isInfinite(x) ? upper + 1 : upper);
    }

    static float fromBits(short bits) {
        return Float.intBitsToFloat(bits << BFLOAT16_BITS);
    }

    /// Full of zeros.
    Buffer room(int bytes) {
        return filled(bytes, new byte[bytes]);
    }

    Buffer roomForValues(int count) {
        return room(count * numbers.valueBytes());
    }

    /// The memory of `count` values of `buffer` from `first` on, which need not begin where groups may.
    Buffer part(Buffer buffer, int first, int count) {
        int bytes = numbers.valueBytes();
        return buffer.slice((long) first * bytes, (long) count * bytes, "a part of it");
    }

    Buffer values(float... values) {
        if (!numbers.converts()) {
            return floats(values);
        }
        short[] bits = new short[values.length];
        for (int i = 0; i < values.length; i++) {
            bits[i] = toBits(values[i]);
        }
        return shorts(bits);
    }

    Buffer floats(float... values) {
        ByteBuffer content = content(values.length * Float.BYTES);
        content.asFloatBuffer().put(values);
        return filled(content.capacity(), content.array());
    }

    Buffer ints(int... values) {
        ByteBuffer content = content(values.length * Integer.BYTES);
        content.asIntBuffer().put(values);
        return filled(content.capacity(), content.array());
    }

    Buffer shorts(short... values) {
        ByteBuffer content = content(values.length * Short.BYTES);
        content.asShortBuffer().put(values);
        return filled(content.capacity(), content.array());
    }

    Buffer bytes(byte... values) {
        return filled(values.length, values);
    }

    private static ByteBuffer content(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    /// Behind the content there are NaN of every type: who reads them computes NaN, who writes there is found at the
    /// end.
    private Buffer filled(int bytes, byte[] content) {
        byte[] all = Arrays.copyOf(content, bytes + BEHIND);
        Arrays.fill(all, bytes, all.length, ALL_ONES);
        Arena arena = new Arena(gpu);
        Buffer buffer = arena.reserve(all.length, "a kernel's argument");
        arena.allocate();
        buffer.write(Pointer.to(all));
        behind.add(buffer.slice(bytes, BEHIND, "behind a kernel's argument"));
        return buffer.slice(0, bytes, "a kernel's argument");
    }

    void run(String kernel, @Nullable Object... arguments) {
        kernels.launchBlocks(kernel, BLOCKS, arguments);
    }

    void runBlocks(String kernel, int blocks, @Nullable Object... arguments) {
        kernels.launchBlocks(kernel, blocks, arguments);
    }

    float[] readValues(Buffer buffer) {
        if (!numbers.converts()) {
            return readFloats(buffer);
        }
        short[] bits = new short[(int) (buffer.bytes() / Short.BYTES)];
        buffer.read(Pointer.to(bits));
        float[] values = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            values[i] = fromBits(bits[i]);
        }
        return values;
    }

    float[] readFloats(Buffer buffer) {
        float[] values = new float[(int) (buffer.bytes() / Float.BYTES)];
        buffer.read(Pointer.to(values));
        return values;
    }

    int[] readInts(Buffer buffer) {
        int[] values = new int[(int) (buffer.bytes() / Integer.BYTES)];
        buffer.read(Pointer.to(values));
        return values;
    }

    /// @param absolute how far a value may be off beside the precision's relative error
    void assertNear(float[] actual, double[] expected, double absolute) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < actual.length; i++) {
            if (Double.isNaN(expected[i])) {
                assertThat(actual[i]).as("value %d", i).isNaN();
            } else {
                double allowed = absolute + relativeError() * Math.abs(expected[i]);
                assertThat((double) actual[i]).as("value %d", i).isCloseTo(expected[i], within(allowed));
            }
        }
    }

    @Override
    public void close() {
        try {
            assertNothingWrittenBehind();
        } finally {
            gpu.close();
        }
    }

    private void assertNothingWrittenBehind() {
        byte[] untouched = new byte[BEHIND];
        Arrays.fill(untouched, ALL_ONES);
        for (Buffer buffer : behind) {
            byte[] bytes = new byte[BEHIND];
            buffer.read(Pointer.to(bytes));
            assertThat(bytes).as("%s", buffer).isEqualTo(untouched);
        }
    }
}
