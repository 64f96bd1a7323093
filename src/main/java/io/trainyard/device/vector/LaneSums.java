package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;

/// Adds up sums of parts in the order of [Vectors#sum], as they come: part number `n` is [Lanes#part] of `n`. A stack
/// of
/// arrays, in which the upper two become one as soon as they are of as many parts.
final class LaneSums {
    private final int length;
    private final float[] stack;
    private int held;

    /// @param length elements of what is summed
    LaneSums(int length) {
        this.length = length;
        stack = new float[(Integer.numberOfTrailingZeros(Lanes.COUNT) + 1) * length];
    }

    /// Where the sums of the next part go, and, when all have been added, the sums of all are.
    float[] array() {
        return stack;
    }

    /// Where in the array the sums of the next part go.
    int next() {
        return held * length;
    }

    /// Takes in the part number `n`, which has been written.
    void add(int n) {
        held++;
        for (int pairs = n; (pairs & 1) == 1; pairs >>= 1) {
            held--;
            int below = (held - 1) * length;
            addVectors(stack, below, stack, below + length, length);
        }
        if (n == Lanes.COUNT - 1) {
            held = 0;
        }
    }

    /// Of arrays of whole vectors.
    static void addVectors(float[] to, int toFrom, float[] more, int moreFrom, int length) {
        for (int i = 0; i < length; i += Vectors.LENGTH) {
            FloatVector sum = FloatVector.fromArray(SPECIES, to, toFrom + i);
            sum.add(FloatVector.fromArray(SPECIES, more, moreFrom + i)).intoArray(to, toFrom + i);
        }
    }
}
