package io.trainyard.device.onednn.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// The runs of an [ImageLayout], cut into vectors. The channels of a run repeat cyclically, so values of channels
/// are spread over tables that are as long as the *period*: the number of floats after which channels and vectors
/// align again. Within a period each vector has its own part of the table, and one loop processes all vectors of a
/// run with the same part.
///
/// A table has a period for each block of channels; its places for padding are 0.
///
/// Kernels compute in float32. VectorRuns of bfloat16 are widened in pieces, into memory that stays in a core's
/// first-level cache, and results are rounded from there.
final class VectorRuns {
    /// Approximate size of a piece in floats.
    private static final int PIECE = 2048;

    static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;

    /// Has as many floats as a vector has doubles.
    private static final VectorSpecies<Float> HALF = VectorSpecies.of(float.class, half());

    static final int HALF_LENGTH = DOUBLES.length();
    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    static final int LENGTH = FLOATS.length();

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private final ImageLayout layout;
    private final ValueType type;
    private final int period;
    private final long piece; // floats; a multiple of the period, unless the run is shorter
    private final List<MemorySegment> widened = new ArrayList<>();

    /// @param tensors number of tensors that a kernel processes together
    VectorRuns(ImageLayout layout, ValueType type, int tensors) {
        this.layout = layout;
        this.type = type;
        period = layout.lanes() * LENGTH / greatestCommonDivisor(layout.lanes(), LENGTH);
        piece = switch (type) {
            case FLOAT32 -> layout.run();
            case BFLOAT16 -> Math.min(layout.run(), (long) Math.ceilDiv(PIECE, period) * period);
        };
        for (int i = 0; type == ValueType.BFLOAT16 && i < tensors; i++) {
            widened.add(Arena.ofAuto().allocate(piece * Float.BYTES, Float.BYTES * LENGTH));
        }
    }

    interface PieceVisitor {
        /// @param first index of the piece's first value in the tensors
        /// @param length number of values
        /// @param table index of its block in tables, which aligns with the start of the piece
        void visit(long first, long length, int table);
    }

    void forEachPiece(PieceVisitor visitor) {
        for (int n = 0; n < layout.samples(); n++) {
            for (int b = 0; b < layout.blocks(); b++) {
                long begin = layout.begin(n, b);
                for (long done = 0; done < layout.run(); done += piece) {
                    visitor.visit(begin + done, Math.min(piece, layout.run() - done), b * period);
                }
            }
        }
    }

    /// A piece as float32; it begins at [#at].
    ///
    /// @param tensor index among those of the kernel
    MemorySegment read(int tensor, MemorySegment values, long first, long length) {
        if (type == ValueType.FLOAT32) {
            return values;
        }
        Bfloat16.widen(values, first, widened.get(tensor), length);
        return widened.get(tensor);
    }

    /// The memory for the result of a piece that begins at [#at]; call [#wrote] afterwards.
    MemorySegment target(int tensor, MemorySegment values) {
        return type == ValueType.FLOAT32 ? values : widened.get(tensor);
    }

    void wrote(int tensor, MemorySegment values, long first, long length) {
        if (type == ValueType.BFLOAT16) {
            Bfloat16.narrow(widened.get(tensor), values, first, length);
        }
    }

    /// The index of a piece in the results of [#read] and [#target].
    long at(long first) {
        return type == ValueType.FLOAT32 ? first : 0;
    }

    float value(MemorySegment values, long index) {
        return switch (type) {
            case FLOAT32 -> values.getAtIndex(ValueLayout.JAVA_FLOAT, index);
            case BFLOAT16 -> Bfloat16.get(values, index);
        };
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

    /// In floats; a multiple of the vector length.
    int period() {
        return period;
    }

    /// The length of a table in floats.
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

    /// Loads as many values as a vector has doubles.
    static DoubleVector loadWide(MemorySegment from, long index) {
        return wide(FloatVector.fromMemorySegment(HALF, from, index * Float.BYTES, ORDER));
    }

    static DoubleVector loadWide(float[] table, int place) {
        return wide(FloatVector.fromArray(HALF, table, place));
    }

    private static DoubleVector wide(FloatVector half) {
        return (DoubleVector) half.convertShape(VectorOperators.F2D, DOUBLES, 0);
    }
}
