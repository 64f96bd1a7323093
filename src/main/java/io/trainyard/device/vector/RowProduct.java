package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;
import static io.trainyard.device.vector.Vectors.TILE;

import jdk.incubator.vector.FloatVector;

/// The matrix product c[r][j] = sum over k of a[r][k] b[k][j], where the rows of b may overlap each other: columns are
/// computed a tile of two vectors at a time, for six or four rows together, so that the sums stay in registers.
///
/// @param aRow elements between the rows of a
/// @param aOffsets where in a row of a its k-th element is
/// @param bOffsets where the k-th row of b begins
/// @param columns a multiple of [Vectors#TILE]
/// @param cRow elements between the rows of c
record RowProduct(int aRow, int[] aOffsets, int[] bOffsets, int columns, int cRow) {
    private static final int WIDE = 6;
    private static final int NARROW = 4;

    /// 0, step, 2 step, ...: the offsets of an ordinary matrix.
    static int[] steps(int count, int step) {
        int[] offsets = new int[count];
        for (int k = 0; k < count; k++) {
            offsets[k] = k * step;
        }
        return offsets;
    }

    /// @param rows of a and c
    /// @param depth how many of the offsets count
    /// @param add whether the products are added to what is in c, or take its place
    void run(int rows, int depth, float[] a, int aFrom, float[] b, int bFrom, float[] c, int cFrom, boolean add) {
        float[] sums = new float[WIDE * TILE];
        for (int j = 0; j < columns; j += TILE) {
            for (int r = 0; r < rows; ) {
                int left = rows - r;
                int aAt = aFrom + r * aRow;
                int cAt = cFrom + r * cRow + j;
                if (left > NARROW) {
                    six(sums, Math.min(left, WIDE) - 1, depth, a, aAt, b, bFrom + j);
                    deliver(sums, Math.min(left, WIDE), c, cAt, add);
                    r += WIDE;
                } else {
                    four(sums, left - 1, depth, a, aAt, b, bFrom + j);
                    deliver(sums, left, c, cAt, add);
                    r += NARROW;
                }
            }
        }
    }

    /// Leaves the sums of a tile; beyond the last row it computes that one again. Kept apart from [#deliver], because
    /// what
    /// the compiler has to inline for either is all that it takes at once: with more, vectors become objects.
    private void six(float[] sums, int last, int depth, float[] a, int a0, float[] b, int bFrom) {
        int a1 = a0 + aRow;
        int a2 = a1 + aRow;
        int a3 = a2 + aRow;
        int a4 = a3 + aRow;
        int a5 = a0 + last * aRow;
        FloatVector s00 = FloatVector.zero(SPECIES);
        FloatVector s01 = FloatVector.zero(SPECIES);
        FloatVector s10 = FloatVector.zero(SPECIES);
        FloatVector s11 = FloatVector.zero(SPECIES);
        FloatVector s20 = FloatVector.zero(SPECIES);
        FloatVector s21 = FloatVector.zero(SPECIES);
        FloatVector s30 = FloatVector.zero(SPECIES);
        FloatVector s31 = FloatVector.zero(SPECIES);
        FloatVector s40 = FloatVector.zero(SPECIES);
        FloatVector s41 = FloatVector.zero(SPECIES);
        FloatVector s50 = FloatVector.zero(SPECIES);
        FloatVector s51 = FloatVector.zero(SPECIES);
        for (int k = 0; k < depth; k++) {
            int ak = aOffsets[k];
            int bk = bFrom + bOffsets[k];
            FloatVector b0 = FloatVector.fromArray(SPECIES, b, bk);
            FloatVector b1 = FloatVector.fromArray(SPECIES, b, bk + LENGTH);
            FloatVector x0 = FloatVector.broadcast(SPECIES, a[a0 + ak]);
            s00 = x0.fma(b0, s00);
            s01 = x0.fma(b1, s01);
            FloatVector x1 = FloatVector.broadcast(SPECIES, a[a1 + ak]);
            s10 = x1.fma(b0, s10);
            s11 = x1.fma(b1, s11);
            FloatVector x2 = FloatVector.broadcast(SPECIES, a[a2 + ak]);
            s20 = x2.fma(b0, s20);
            s21 = x2.fma(b1, s21);
            FloatVector x3 = FloatVector.broadcast(SPECIES, a[a3 + ak]);
            s30 = x3.fma(b0, s30);
            s31 = x3.fma(b1, s31);
            FloatVector x4 = FloatVector.broadcast(SPECIES, a[a4 + ak]);
            s40 = x4.fma(b0, s40);
            s41 = x4.fma(b1, s41);
            FloatVector x5 = FloatVector.broadcast(SPECIES, a[a5 + ak]);
            s50 = x5.fma(b0, s50);
            s51 = x5.fma(b1, s51);
        }
        s00.intoArray(sums, 0);
        s01.intoArray(sums, LENGTH);
        s10.intoArray(sums, 2 * LENGTH);
        s11.intoArray(sums, 3 * LENGTH);
        s20.intoArray(sums, 4 * LENGTH);
        s21.intoArray(sums, 5 * LENGTH);
        s30.intoArray(sums, 6 * LENGTH);
        s31.intoArray(sums, 7 * LENGTH);
        s40.intoArray(sums, 8 * LENGTH);
        s41.intoArray(sums, 9 * LENGTH);
        s50.intoArray(sums, 10 * LENGTH);
        s51.intoArray(sums, 11 * LENGTH);
    }

    private void four(float[] sums, int last, int depth, float[] a, int a0, float[] b, int bFrom) {
        int a1 = a0 + Math.min(1, last) * aRow;
        int a2 = a0 + Math.min(2, last) * aRow;
        int a3 = a0 + last * aRow;
        FloatVector s00 = FloatVector.zero(SPECIES);
        FloatVector s01 = FloatVector.zero(SPECIES);
        FloatVector s10 = FloatVector.zero(SPECIES);
        FloatVector s11 = FloatVector.zero(SPECIES);
        FloatVector s20 = FloatVector.zero(SPECIES);
        FloatVector s21 = FloatVector.zero(SPECIES);
        FloatVector s30 = FloatVector.zero(SPECIES);
        FloatVector s31 = FloatVector.zero(SPECIES);
        for (int k = 0; k < depth; k++) {
            int ak = aOffsets[k];
            int bk = bFrom + bOffsets[k];
            FloatVector b0 = FloatVector.fromArray(SPECIES, b, bk);
            FloatVector b1 = FloatVector.fromArray(SPECIES, b, bk + LENGTH);
            FloatVector x0 = FloatVector.broadcast(SPECIES, a[a0 + ak]);
            s00 = x0.fma(b0, s00);
            s01 = x0.fma(b1, s01);
            FloatVector x1 = FloatVector.broadcast(SPECIES, a[a1 + ak]);
            s10 = x1.fma(b0, s10);
            s11 = x1.fma(b1, s11);
            FloatVector x2 = FloatVector.broadcast(SPECIES, a[a2 + ak]);
            s20 = x2.fma(b0, s20);
            s21 = x2.fma(b1, s21);
            FloatVector x3 = FloatVector.broadcast(SPECIES, a[a3 + ak]);
            s30 = x3.fma(b0, s30);
            s31 = x3.fma(b1, s31);
        }
        s00.intoArray(sums, 0);
        s01.intoArray(sums, LENGTH);
        s10.intoArray(sums, 2 * LENGTH);
        s11.intoArray(sums, 3 * LENGTH);
        s20.intoArray(sums, 4 * LENGTH);
        s21.intoArray(sums, 5 * LENGTH);
        s30.intoArray(sums, 6 * LENGTH);
        s31.intoArray(sums, 7 * LENGTH);
    }

    private void deliver(float[] sums, int rows, float[] c, int cAt, boolean add) {
        for (int r = 0; r < rows; r++) {
            for (int i = 0; i < TILE; i += LENGTH) {
                FloatVector sum = FloatVector.fromArray(SPECIES, sums, r * TILE + i);
                int at = cAt + r * cRow + i;
                if (add) {
                    sum = sum.add(FloatVector.fromArray(SPECIES, c, at));
                }
                sum.intoArray(c, at);
            }
        }
    }
}
