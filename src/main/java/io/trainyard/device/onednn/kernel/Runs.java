package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// The runs of an [ImageLayout], cut into vectors. The floats of a run are of one channel after the other, again and
/// again; so what belongs to channels is spread over tables with as many places as it takes until channels and
/// vectors begin together once more, the *period*. Within a period each vector has its own part of the table, and
/// one loop goes over all vectors of a run that have the same part.
///
/// A table has a period for each block of channels; its places for padding are 0.
final class Runs {
    static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;

    /// As many floats as there are doubles in a vector.
    private static final VectorSpecies<Float> HALF = VectorSpecies.of(float.class, half());

    static final int HALF_LENGTH = DOUBLES.length();
    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    static final int LENGTH = FLOATS.length();

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private final ImageLayout layout;
    private final int period;

    Runs(ImageLayout layout) {
        this.layout = layout;
        period = layout.lanes() * LENGTH / greatestCommonDivisor(layout.lanes(), LENGTH);
    }

    private static VectorShape half() {
        return VectorShape.forBitSize(DOUBLES.vectorBitSize() / 2);
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    ImageLayout layout() {
        return layout;
    }

    /// Floats; a whole number of vectors.
    int period() {
        return period;
    }

    /// Floats of a table.
    int places() {
        return layout.blocks() * period;
    }

    /// Fills `table` from one value for each channel.
    void spread(double[] values, float[] table) {
        for (int place = 0; place < table.length; place++) {
            int channel = channel(place);
            table[place] = channel < 0 ? 0 : (float) values[channel];
        }
    }

    /// Sums the places of each channel, always in the same order.
    void fold(double[] table, double[] values) {
        Arrays.fill(values, 0);
        for (int place = 0; place < table.length; place++) {
            int channel = channel(place);
            if (channel >= 0) {
                values[channel] += table[place];
            }
        }
    }

    /// -1 for padding.
    private int channel(int place) {
        int block = place / period;
        int lane = place % period % layout.lanes();
        return lane < layout.channelsOf(block) ? block * layout.lanes() + lane : -1;
    }

    static FloatVector load(MemorySegment from, long index) {
        return FloatVector.fromMemorySegment(FLOATS, from, index * Float.BYTES, ORDER);
    }

    static void store(FloatVector vector, MemorySegment to, long index) {
        vector.intoMemorySegment(to, index * Float.BYTES, ORDER);
    }

    /// As many values as fit a vector of doubles.
    static DoubleVector loadWide(MemorySegment from, long index) {
        return wide(FloatVector.fromMemorySegment(HALF, from, index * Float.BYTES, ORDER));
    }

    /// As [#loadWide(MemorySegment, long)], from a table.
    static DoubleVector loadWide(float[] table, int place) {
        return wide(FloatVector.fromArray(HALF, table, place));
    }

    private static DoubleVector wide(FloatVector half) {
        return (DoubleVector) half.convertShape(VectorOperators.F2D, DOUBLES, 0);
    }
}
