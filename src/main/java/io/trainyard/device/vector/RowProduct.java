package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;
import static io.trainyard.device.vector.Vectors.TILE;

import jdk.incubator.vector.FloatVector;

/// The matrix product c[r][j] = sum over k of a[r][k] b[k][j], where the rows of b may overlap: computes columns in
/// tiles of two vectors, for six or four rows together, so that the sums stay in registers.
///
/// @param aRow elements between the rows of a
/// @param aOffsets of the k-th element in a row of a
/// @param bOffsets of the k-th row of b
/// @param columns a multiple of [Vectors#TILE]
/// @param cRow elements between the rows of c
record RowProduct(int aRow, int[] aOffsets, int[] bOffsets, int columns, int cRow) {
    private static final int WIDE = 6;
    private static final int NARROW = 4;
    private static final float[] ZEROS = new float[WIDE];

    /// 0, step, 2 step, ...: the offsets of an ordinary matrix.
    static int[] steps(int count, int step) {
        int[] offsets = new int[count];
        for (int k = 0; k < count; k++) {
            offsets[k] = k * step;
        }
        return offsets;
    }

    /// Sets c to start[r] + a b.
    ///
    /// @param rows of a and c
    /// @param depth number of offsets to use
    /// @param start initial values of each row's sums, from `startFrom` on
    void set(
            int rows,
            int depth,
            float[] start,
            int startFrom,
            float[] a,
            int aFrom,
            float[] b,
            int bFrom,
            float[] c,
            int cFrom) {
        for (int j = 0; j < columns; j += TILE) {
            int r = 0;
            for (; rows - r > NARROW; r += WIDE) {
                int last = Math.min(rows - r, WIDE) - 1;
                int cAt = cFrom + r * cRow + j;
                sixVectors(last, depth, start, startFrom + r, a, aFrom + r * aRow, b, bFrom + j, c, cAt, cRow);
            }
            if (r < rows) {
                int last = rows - r - 1;
                int cAt = cFrom + r * cRow + j;
                fourVectors(last, depth, start, startFrom + r, a, aFrom + r * aRow, b, bFrom + j, c, cAt, cRow);
            }
        }
    }

    void add(int rows, int depth, float[] a, int aFrom, float[] b, int bFrom, float[] c, int cFrom) {
        float[] sums = new float[WIDE * TILE];
        for (int j = 0; j < columns; j += TILE) {
            int r = 0;
            for (; rows - r > NARROW; r += WIDE) {
                int last = Math.min(rows - r, WIDE) - 1;
                sixVectors(last, depth, ZEROS, 0, a, aFrom + r * aRow, b, bFrom + j, sums, 0, TILE);
                deliverVectors(sums, last, c, cFrom + r * cRow + j);
            }
            if (r < rows) {
                int last = rows - r - 1;
                fourVectors(last, depth, ZEROS, 0, a, aFrom + r * aRow, b, bFrom + j, sums, 0, TILE);
                deliverVectors(sums, last, c, cFrom + r * cRow + j);
            }
        }
    }

    /// Past the last row it computes the last one again, to the same place. Separate from [#deliverVectors],
    /// because the compiler can inline only one of the two into a method; otherwise vectors become objects.
    private void sixVectors(
            int last,
            int depth,
            float[] start,
            int startAt,
            float[] a,
            int a0,
            float[] b,
            int bFrom,
            float[] c,
            int c0,
            int cStep) {
        int a1 = a0 + aRow;
        int a2 = a1 + aRow;
        int a3 = a2 + aRow;
        int a4 = a3 + aRow;
        int a5 = a0 + last * aRow;
        FloatVector s00 = FloatVector.broadcast(SPECIES, start[startAt]);
        FloatVector s10 = FloatVector.broadcast(SPECIES, start[startAt + 1]);
        FloatVector s20 = FloatVector.broadcast(SPECIES, start[startAt + 2]);
        FloatVector s30 = FloatVector.broadcast(SPECIES, start[startAt + 3]);
        FloatVector s40 = FloatVector.broadcast(SPECIES, start[startAt + 4]);
        FloatVector s50 = FloatVector.broadcast(SPECIES, start[startAt + last]);
        FloatVector s01 = s00;
        FloatVector s11 = s10;
        FloatVector s21 = s20;
        FloatVector s31 = s30;
        FloatVector s41 = s40;
        FloatVector s51 = s50;
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
        s00.intoArray(c, c0);
        s01.intoArray(c, c0 + LENGTH);
        s10.intoArray(c, c0 + cStep);
        s11.intoArray(c, c0 + cStep + LENGTH);
        s20.intoArray(c, c0 + 2 * cStep);
        s21.intoArray(c, c0 + 2 * cStep + LENGTH);
        s30.intoArray(c, c0 + 3 * cStep);
        s31.intoArray(c, c0 + 3 * cStep + LENGTH);
        s40.intoArray(c, c0 + 4 * cStep);
        s41.intoArray(c, c0 + 4 * cStep + LENGTH);
        s50.intoArray(c, c0 + last * cStep);
        s51.intoArray(c, c0 + last * cStep + LENGTH);
    }

    private void fourVectors(
            int last,
            int depth,
            float[] start,
            int startAt,
            float[] a,
            int a0,
            float[] b,
            int bFrom,
            float[] c,
            int c0,
            int cStep) {
        int r1 = Math.min(1, last);
        int r2 = Math.min(2, last);
        int a1 = a0 + r1 * aRow;
        int a2 = a0 + r2 * aRow;
        int a3 = a0 + last * aRow;
        FloatVector s00 = FloatVector.broadcast(SPECIES, start[startAt]);
        FloatVector s10 = FloatVector.broadcast(SPECIES, start[startAt + r1]);
        FloatVector s20 = FloatVector.broadcast(SPECIES, start[startAt + r2]);
        FloatVector s30 = FloatVector.broadcast(SPECIES, start[startAt + last]);
        FloatVector s01 = s00;
        FloatVector s11 = s10;
        FloatVector s21 = s20;
        FloatVector s31 = s30;
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
        s00.intoArray(c, c0);
        s01.intoArray(c, c0 + LENGTH);
        s10.intoArray(c, c0 + r1 * cStep);
        s11.intoArray(c, c0 + r1 * cStep + LENGTH);
        s20.intoArray(c, c0 + r2 * cStep);
        s21.intoArray(c, c0 + r2 * cStep + LENGTH);
        s30.intoArray(c, c0 + last * cStep);
        s31.intoArray(c, c0 + last * cStep + LENGTH);
    }

    private void deliverVectors(float[] sums, int last, float[] c, int cAt) {
        for (int r = 0; r <= last; r++) {
            for (int i = 0; i < TILE; i += LENGTH) {
                int at = cAt + r * cRow + i;
                FloatVector sum = FloatVector.fromArray(SPECIES, sums, r * TILE + i);
                sum.add(FloatVector.fromArray(SPECIES, c, at)).intoArray(c, at);
            }
        }
    }
}
