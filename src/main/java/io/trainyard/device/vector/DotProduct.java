package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;

/// All dot products c[r][t] = sum over p of a[r][p] b[t][p] between rows of a and rows of b, in tiles of three by
/// four. The rows may consist of several pieces, one for each sample.
///
/// @param aOffsets of the rows of a
/// @param bOffsets of the rows of b
/// @param length of the rows, or of each piece; a multiple of [Vectors#LENGTH]
/// @param cRow elements of c between adjacent rows of a
/// @param cColumn elements of c between adjacent rows of b
record DotProduct(int[] aOffsets, int[] bOffsets, int length, int cRow, int cColumn) {
    private static final int ROWS = 3;
    private static final int COLUMNS = 4;

    /// Four rows of b of this length stay in the first-level cache (32 KiB) while rows of a are streamed.
    private static final int BLOCK = 2048;

    /// The positions of the pieces: the s-th piece of a row of a begins `s * aPiece` after its first.
    record Pieces(int count, int aPiece, int bPiece) {
        static final Pieces ONE = new Pieces(1, 0, 0);
    }

    /// @param columns number of rows of b
    /// @param c the products are added to its values
    void addTo(float[] c, int cFrom, float[] a, int aFrom, float[] b, int bFrom, int columns, Pieces pieces) {
        float[] sums = new float[ROWS * COLUMNS * LENGTH];
        for (int from = 0; from < length; from += BLOCK) {
            int block = Math.min(BLOCK, length - from);
            for (int t = 0; t < columns; t += COLUMNS) {
                for (int r = 0; r < aOffsets.length; r += ROWS) {
                    threeByFourVectors(sums, a, aFrom + from, b, bFrom + from, r, t, columns, block, pieces);
                    addSumVectors(
                            sums,
                            c,
                            cFrom + r * cRow + t * cColumn,
                            Math.min(ROWS, aOffsets.length - r),
                            Math.min(COLUMNS, columns - t));
                }
            }
        }
    }

    /// Past the last row or column the last one is computed again, and not stored.
    private void threeByFourVectors(
            float[] sums,
            float[] a,
            int aFrom,
            float[] b,
            int bFrom,
            int r,
            int t,
            int columns,
            int block,
            Pieces pieces) {
        int lastRow = aOffsets.length - 1;
        int lastColumn = columns - 1;
        int a0 = aFrom + aOffsets[r];
        int a1 = aFrom + aOffsets[Math.min(r + 1, lastRow)];
        int a2 = aFrom + aOffsets[Math.min(r + 2, lastRow)];
        int b0 = bFrom + bOffsets[t];
        int b1 = bFrom + bOffsets[Math.min(t + 1, lastColumn)];
        int b2 = bFrom + bOffsets[Math.min(t + 2, lastColumn)];
        int b3 = bFrom + bOffsets[Math.min(t + 3, lastColumn)];
        FloatVector zero = FloatVector.zero(SPECIES);
        FloatVector s00 = zero;
        FloatVector s01 = zero;
        FloatVector s02 = zero;
        FloatVector s03 = zero;
        FloatVector s10 = zero;
        FloatVector s11 = zero;
        FloatVector s12 = zero;
        FloatVector s13 = zero;
        FloatVector s20 = zero;
        FloatVector s21 = zero;
        FloatVector s22 = zero;
        FloatVector s23 = zero;
        int steps = pieces.count() * (block / LENGTH);
        int p = 0; // in a, like q in b
        int q = 0;
        int pieceEnd = block;
        for (int step = 0; step < steps; step++) {
            FloatVector y0 = FloatVector.fromArray(SPECIES, b, b0 + q);
            FloatVector y1 = FloatVector.fromArray(SPECIES, b, b1 + q);
            FloatVector y2 = FloatVector.fromArray(SPECIES, b, b2 + q);
            FloatVector y3 = FloatVector.fromArray(SPECIES, b, b3 + q);
            FloatVector x0 = FloatVector.fromArray(SPECIES, a, a0 + p);
            s00 = x0.fma(y0, s00);
            s01 = x0.fma(y1, s01);
            s02 = x0.fma(y2, s02);
            s03 = x0.fma(y3, s03);
            FloatVector x1 = FloatVector.fromArray(SPECIES, a, a1 + p);
            s10 = x1.fma(y0, s10);
            s11 = x1.fma(y1, s11);
            s12 = x1.fma(y2, s12);
            s13 = x1.fma(y3, s13);
            FloatVector x2 = FloatVector.fromArray(SPECIES, a, a2 + p);
            s20 = x2.fma(y0, s20);
            s21 = x2.fma(y1, s21);
            s22 = x2.fma(y2, s22);
            s23 = x2.fma(y3, s23);
            p += LENGTH;
            q += LENGTH;
            if (p == pieceEnd) {
                p += pieces.aPiece() - block;
                q += pieces.bPiece() - block;
                pieceEnd = p + block;
            }
        }
        s00.intoArray(sums, 0);
        s01.intoArray(sums, LENGTH);
        s02.intoArray(sums, 2 * LENGTH);
        s03.intoArray(sums, 3 * LENGTH);
        s10.intoArray(sums, 4 * LENGTH);
        s11.intoArray(sums, 5 * LENGTH);
        s12.intoArray(sums, 6 * LENGTH);
        s13.intoArray(sums, 7 * LENGTH);
        s20.intoArray(sums, 8 * LENGTH);
        s21.intoArray(sums, 9 * LENGTH);
        s22.intoArray(sums, 10 * LENGTH);
        s23.intoArray(sums, 11 * LENGTH);
    }

    private void addSumVectors(float[] sums, float[] c, int at, int rows, int columns) {
        for (int r = 0; r < rows; r++) {
            for (int t = 0; t < columns; t++) {
                FloatVector lanes = FloatVector.fromArray(SPECIES, sums, (r * COLUMNS + t) * LENGTH);
                c[at + r * cRow + t * cColumn] += Vectors.sum(lanes);
            }
        }
    }
}
