package io.trainyard.device.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

final class Vectors {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    static final int LENGTH = SPECIES.length();

    /// Columns that a kernel computes at once: rows are padded to a multiple of it.
    static final int TILE = 2 * LENGTH;

    /// Elements that kernels may read past the end of an array's last row.
    static final int SLACK = 2 * TILE;

    private static final VectorShuffle<Float> HALF = shuffle(LENGTH / 2);
    private static final VectorShuffle<Float> QUARTER = shuffle(LENGTH / 4);
    private static final VectorShuffle<Float> EIGHTH = shuffle(LENGTH / 8);
    private static final VectorShuffle<Float> SIXTEENTH = shuffle(LENGTH / 16);

    private Vectors() {}

    private static VectorShuffle<Float> shuffle(int distance) {
        return VectorShuffle.fromOp(SPECIES, lane -> lane ^ distance);
    }

    static int roundUp(int elements) {
        return Math.ceilDiv(elements, TILE) * TILE;
    }

    /// The sum of all lanes, always in the same order.
    static float sum(FloatVector v) {
        FloatVector s = v.add(v.rearrange(HALF));
        s = s.add(s.rearrange(QUARTER));
        if (LENGTH > 4) {
            s = s.add(s.rearrange(EIGHTH));
        }
        if (LENGTH > 8) {
            s = s.add(s.rearrange(SIXTEENTH));
        }
        return s.lane(0);
    }
}
