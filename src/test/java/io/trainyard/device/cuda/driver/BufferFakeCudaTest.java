package io.trainyard.device.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.cuda.CudaBackend;
import io.trainyard.device.cuda.OnFakeCuda;
import io.trainyard.spec.DeviceSpec;
import java.util.Random;
import jcuda.Pointer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Buffers know their device, and copies are exact both ways.
@OnFakeCuda
final class BufferFakeCudaTest {
    private static final int FLOATS = 1000;

    private final Gpu first = gpu(0);
    private final Gpu second = gpu(1);

    /// Also loads the libraries.
    private static Gpu gpu(int number) {
        var _ = new CudaBackend().open(new DeviceSpec("cuda:" + number));
        return new Gpu(number);
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    @Test
    void rejectsBuffersOfAnotherDeviceByBothNames() {
        Buffer there = buffer(second, "parameter conv1.weight");
        first.enter();
        assertThatThrownBy(() -> first.at(there))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "parameter conv1.weight on cuda:1 is handed to what computes on cuda:0; copy it there first");
    }

    @Test
    void copiesToTheHostAndBackAreExact() {
        float[] values = anything();
        Buffer buffer = buffer(first, "values");
        buffer.write(Pointer.to(values));
        assertThat(read(buffer)).isEqualTo(bits(values));
    }

    @Test
    void copiesBetweenDevicesAreExactBothWays() {
        float[] values = anything();
        Buffer here = buffer(first, "values");
        here.write(Pointer.to(values));
        Buffer there = buffer(second, "values");
        first.enter();
        Event written = first.event();
        written.record(first.compute());
        second.enter();
        second.compute().await(written);
        there.copyFrom(here);
        assertThat(read(there)).isEqualTo(bits(values));
        second.compute().synchronize();
        first.enter();
        here.clear();
        here.copyFrom(there);
        assertThat(read(here)).isEqualTo(bits(values));
    }

    @Test
    void rejectsCopiesOutsideABuffer() {
        Buffer buffer = buffer(first, "values");
        assertThatThrownBy(() -> buffer.slice(8, buffer.bytes(), "too much"))
                .hasMessage("bytes 8 to 4008 are requested of values on cuda:0, which has 4000");
        assertThatThrownBy(() -> buffer.write(Pointer.to(new float[FLOATS + 1]), buffer.bytes() + 4))
                .hasMessage("4004 bytes are copied to values on cuda:0, which has 4000");
    }

    @Test
    void rejectsFreedMemory() {
        Buffer buffer = buffer(first, "values");
        first.close();
        assertThatThrownBy(() -> buffer.write(Pointer.to(new float[FLOATS])))
                .hasMessage("values on cuda:0 has no memory: not allocated yet, or freed");
    }

    private static Buffer buffer(Gpu gpu, String what) {
        gpu.enter();
        Arena arena = new Arena(gpu);
        Buffer buffer = arena.reserve(FLOATS * Float.BYTES, what);
        arena.allocate();
        return buffer;
    }

    /// All kinds of floats, including NaNs.
    private static float[] anything() {
        Random random = new Random(1);
        float[] values = new float[FLOATS];
        for (int i = 0; i < FLOATS; i++) {
            values[i] = Float.intBitsToFloat(random.nextInt());
        }
        return values;
    }

    private static int[] read(Buffer buffer) {
        float[] values = new float[FLOATS];
        buffer.read(Pointer.to(values));
        return bits(values);
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }
}
