package io.trainyard.device.vector;

/// Several models of one network side by side: wherever one has a number, memory has a vector with a lane for each. So
/// every operation is one on whole vectors, whatever the shapes, and lanes know nothing of one another.
///
/// What a model computes by itself it computes here, in the same order: its bits are the same. A sum that is made in
/// the
/// lanes of one vector there is made here in as many parts, those with the same remainder of the index, which are then
/// added in the order of [Vectors#sum].
final class Lanes {
    /// Models of a stack: the lanes of a vector.
    static final int COUNT = Vectors.LENGTH;

    private Lanes() {}

    /// The number of the part that is summed as number `n`: with its bits in reverse, so that what [Vectors#sum] adds
    /// first is there first.
    static int part(int n) {
        return Integer.reverse(n) >>> Integer.numberOfLeadingZeros(COUNT) + 1;
    }

    /// Puts the values of one model among those of the others.
    ///
    /// @param to where the first goes, as an index of vectors
    static void put(float[] values, float[] among, int to, int lane) {
        int at = to * COUNT + lane;
        for (float value : values) {
            among[at] = value;
            at += COUNT;
        }
    }

    /// Takes one model's values from among those of the others, as many as `values` has room for.
    static void take(float[] values, float[] among, int from, int lane) {
        int at = from * COUNT + lane;
        for (int i = 0; i < values.length; i++) {
            values[i] = among[at];
            at += COUNT;
        }
    }

    /// Puts one row of each model among one another, some columns at a time, so that what is read stays in the cache.
    ///
    /// @param rows all as long
    static void interleave(float[][] rows, float[] among, int from) {
        int columns = rows[0].length;
        for (int first = 0; first < columns; first += COUNT) {
            int end = Math.min(columns, first + COUNT);
            for (int lane = 0; lane < COUNT; lane++) {
                float[] row = rows[lane];
                int at = from + first * COUNT + lane;
                for (int i = first; i < end; i++) {
                    among[at] = row[i];
                    at += COUNT;
                }
            }
        }
    }
}
