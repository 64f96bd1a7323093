package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.SPECIES;

import jdk.incubator.vector.FloatVector;

/// Sums of products c[r][j] = start[r][j] + sum over k of a[r][k] b[j][k], each of vectors with a lane for each model,
/// for six rows and four columns at once, so that 24 sums stay in registers while ten vectors pass by. Where everything
/// is, is said beforehand, in elements of the arrays. A sum over many k is made in pieces, each from where the one
/// before
/// ended, so that what is read for many tiles stays in the first-level cache.
final class LaneProduct {
    static final int ROWS = 6;
    static final int COLUMNS = 4;

    /// Elements of a tile of sums.
    static final int TILE = ROWS * COLUMNS * Lanes.COUNT;

    private static final int[] NOWHERE = new int[ROWS]; // all of it in one place

    private final int[] rowsOfA = new int[ROWS];
    private final int[] rowsOfStart = new int[ROWS];
    private final int[] rowsOfC = new int[ROWS];
    private final int[] rowsOfB = new int[COLUMNS];
    private final int[] columnsOfC = new int[COLUMNS];
    private final float[] zero = new float[Lanes.COUNT];

    /// Which row of a, of the start and of c a row is. Beyond the last row that one is computed again.
    void row(int row, int inA, int inStart, int inC) {
        rowsOfA[row] = inA;
        rowsOfStart[row] = inStart;
        rowsOfC[row] = inC;
    }

    /// Which row of b and which column of c a column is. Beyond the last column that one is computed again.
    void column(int column, int inB, int inC) {
        rowsOfB[column] = inB;
        columnsOfC[column] = inC;
    }

    /// Makes c a tile of [#TILE] elements, row by row.
    void tile(int at) {
        for (int row = 0; row < ROWS; row++) {
            rowsOfC[row] = at + row * COLUMNS * Lanes.COUNT;
        }
        for (int column = 0; column < COLUMNS; column++) {
            columnsOfC[column] = column * Lanes.COUNT;
        }
    }

    /// Which of the offsets count, and where the sums begin.
    ///
    /// @param ofA where in a row of a its k-th vector is
    /// @param from the first k
    /// @param to behind the last
    record Terms(int[] ofA, int[] ofB, int from, int to) {
        static Terms all(int[] ofA, int[] ofB) {
            return new Terms(ofA, ofB, 0, ofA.length);
        }

        Terms part(int begin, int end) {
            return new Terms(ofA, ofB, begin, end);
        }
    }

    /// From zero.
    void sum(Terms terms, float[] a, float[] b, float[] c) {
        sumVectors(terms, a, b, zero, NOWHERE, NOWHERE, c);
    }

    /// Each row from a number of its own.
    void sumFrom(float[] start, Terms terms, float[] a, float[] b, float[] c) {
        sumVectors(terms, a, b, start, rowsOfStart, NOWHERE, c);
    }

    /// From what is in c.
    void sumOn(Terms terms, float[] a, float[] b, float[] c) {
        sumVectors(terms, a, b, c, rowsOfC, columnsOfC, c);
    }

    private void sumVectors(
            Terms terms, float[] a, float[] b, float[] start, int[] startRows, int[] startColumns, float[] c) {
        int[] ofA = terms.ofA();
        int[] ofB = terms.ofB();
        int a0 = rowsOfA[0];
        int a1 = rowsOfA[1];
        int a2 = rowsOfA[2];
        int a3 = rowsOfA[3];
        int a4 = rowsOfA[4];
        int a5 = rowsOfA[5];
        int b0 = rowsOfB[0];
        int b1 = rowsOfB[1];
        int b2 = rowsOfB[2];
        int b3 = rowsOfB[3];
        int t0 = startRows[0];
        FloatVector s00 = FloatVector.fromArray(SPECIES, start, t0 + startColumns[0]);
        FloatVector s01 = FloatVector.fromArray(SPECIES, start, t0 + startColumns[1]);
        FloatVector s02 = FloatVector.fromArray(SPECIES, start, t0 + startColumns[2]);
        FloatVector s03 = FloatVector.fromArray(SPECIES, start, t0 + startColumns[3]);
        int t1 = startRows[1];
        FloatVector s10 = FloatVector.fromArray(SPECIES, start, t1 + startColumns[0]);
        FloatVector s11 = FloatVector.fromArray(SPECIES, start, t1 + startColumns[1]);
        FloatVector s12 = FloatVector.fromArray(SPECIES, start, t1 + startColumns[2]);
        FloatVector s13 = FloatVector.fromArray(SPECIES, start, t1 + startColumns[3]);
        int t2 = startRows[2];
        FloatVector s20 = FloatVector.fromArray(SPECIES, start, t2 + startColumns[0]);
        FloatVector s21 = FloatVector.fromArray(SPECIES, start, t2 + startColumns[1]);
        FloatVector s22 = FloatVector.fromArray(SPECIES, start, t2 + startColumns[2]);
        FloatVector s23 = FloatVector.fromArray(SPECIES, start, t2 + startColumns[3]);
        int t3 = startRows[3];
        FloatVector s30 = FloatVector.fromArray(SPECIES, start, t3 + startColumns[0]);
        FloatVector s31 = FloatVector.fromArray(SPECIES, start, t3 + startColumns[1]);
        FloatVector s32 = FloatVector.fromArray(SPECIES, start, t3 + startColumns[2]);
        FloatVector s33 = FloatVector.fromArray(SPECIES, start, t3 + startColumns[3]);
        int t4 = startRows[4];
        FloatVector s40 = FloatVector.fromArray(SPECIES, start, t4 + startColumns[0]);
        FloatVector s41 = FloatVector.fromArray(SPECIES, start, t4 + startColumns[1]);
        FloatVector s42 = FloatVector.fromArray(SPECIES, start, t4 + startColumns[2]);
        FloatVector s43 = FloatVector.fromArray(SPECIES, start, t4 + startColumns[3]);
        int t5 = startRows[5];
        FloatVector s50 = FloatVector.fromArray(SPECIES, start, t5 + startColumns[0]);
        FloatVector s51 = FloatVector.fromArray(SPECIES, start, t5 + startColumns[1]);
        FloatVector s52 = FloatVector.fromArray(SPECIES, start, t5 + startColumns[2]);
        FloatVector s53 = FloatVector.fromArray(SPECIES, start, t5 + startColumns[3]);
        for (int k = terms.from(); k < terms.to(); k++) {
            int p = ofA[k];
            int q = ofB[k];
            FloatVector y0 = FloatVector.fromArray(SPECIES, b, b0 + q);
            FloatVector y1 = FloatVector.fromArray(SPECIES, b, b1 + q);
            FloatVector y2 = FloatVector.fromArray(SPECIES, b, b2 + q);
            FloatVector y3 = FloatVector.fromArray(SPECIES, b, b3 + q);
            FloatVector x = FloatVector.fromArray(SPECIES, a, a0 + p);
            s00 = x.fma(y0, s00);
            s01 = x.fma(y1, s01);
            s02 = x.fma(y2, s02);
            s03 = x.fma(y3, s03);
            x = FloatVector.fromArray(SPECIES, a, a1 + p);
            s10 = x.fma(y0, s10);
            s11 = x.fma(y1, s11);
            s12 = x.fma(y2, s12);
            s13 = x.fma(y3, s13);
            x = FloatVector.fromArray(SPECIES, a, a2 + p);
            s20 = x.fma(y0, s20);
            s21 = x.fma(y1, s21);
            s22 = x.fma(y2, s22);
            s23 = x.fma(y3, s23);
            x = FloatVector.fromArray(SPECIES, a, a3 + p);
            s30 = x.fma(y0, s30);
            s31 = x.fma(y1, s31);
            s32 = x.fma(y2, s32);
            s33 = x.fma(y3, s33);
            x = FloatVector.fromArray(SPECIES, a, a4 + p);
            s40 = x.fma(y0, s40);
            s41 = x.fma(y1, s41);
            s42 = x.fma(y2, s42);
            s43 = x.fma(y3, s43);
            x = FloatVector.fromArray(SPECIES, a, a5 + p);
            s50 = x.fma(y0, s50);
            s51 = x.fma(y1, s51);
            s52 = x.fma(y2, s52);
            s53 = x.fma(y3, s53);
        }
        int c0 = columnsOfC[0];
        int c1 = columnsOfC[1];
        int c2 = columnsOfC[2];
        int c3 = columnsOfC[3];
        int r = rowsOfC[0];
        s00.intoArray(c, r + c0);
        s01.intoArray(c, r + c1);
        s02.intoArray(c, r + c2);
        s03.intoArray(c, r + c3);
        r = rowsOfC[1];
        s10.intoArray(c, r + c0);
        s11.intoArray(c, r + c1);
        s12.intoArray(c, r + c2);
        s13.intoArray(c, r + c3);
        r = rowsOfC[2];
        s20.intoArray(c, r + c0);
        s21.intoArray(c, r + c1);
        s22.intoArray(c, r + c2);
        s23.intoArray(c, r + c3);
        r = rowsOfC[3];
        s30.intoArray(c, r + c0);
        s31.intoArray(c, r + c1);
        s32.intoArray(c, r + c2);
        s33.intoArray(c, r + c3);
        r = rowsOfC[4];
        s40.intoArray(c, r + c0);
        s41.intoArray(c, r + c1);
        s42.intoArray(c, r + c2);
        s43.intoArray(c, r + c3);
        r = rowsOfC[5];
        s50.intoArray(c, r + c0);
        s51.intoArray(c, r + c1);
        s52.intoArray(c, r + c2);
        s53.intoArray(c, r + c3);
    }
}
