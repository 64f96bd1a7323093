package io.trainyard.device.onednn.kernel;

import static io.trainyard.device.onednn.kernel.VectorRuns.DOUBLES;
import static io.trainyard.device.onednn.kernel.VectorRuns.HALF_LENGTH;
import static io.trainyard.device.onednn.kernel.VectorRuns.LENGTH;
import static io.trainyard.device.onednn.kernel.VectorRuns.loadWide;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;

/// Mean and sum of squared deviations of each channel, in double precision. Each channel's values are taken
/// relative to its first one, which avoids cancellation for channels far from zero.
public final class ValueSums {
    private final VectorRuns runs;
    private final double[] firsts; // of channels
    private final float[] centers; // as a table
    private final double[] sums; // tables of the differences from them
    private final double[] squares;
    private final double[] channelSums;
    private final double[] channelSquares;

    public ValueSums(ImageLayout layout, ValueType type) {
        runs = new VectorRuns(layout, type, 1);
        firsts = new double[layout.channels()];
        centers = new float[runs.places()];
        sums = new double[runs.places()];
        squares = new double[runs.places()];
        channelSums = new double[layout.channels()];
        channelSquares = new double[layout.channels()];
    }

    /// @param means receives the channels' means
    /// @param deviations receives the sums of the squared differences from them
    public void compute(MemorySegment x, double[] means, double[] deviations) {
        ImageLayout layout = runs.layout();
        for (int c = 0; c < firsts.length; c++) {
            firsts[c] = runs.value(x, layout.index(0, c, 0, 0));
        }
        runs.spread(firsts, centers);
        Arrays.fill(sums, 0);
        Arrays.fill(squares, 0);
        runs.forEachPiece((first, length, table) -> {
            MemorySegment floats = runs.read(0, x, first, length);
            addPiece(floats, runs.at(first), length, table);
        });
        runs.fold(sums, channelSums);
        runs.fold(squares, channelSquares);
        double count = (double) layout.samples() * layout.area();
        for (int c = 0; c < firsts.length; c++) {
            double average = channelSums[c] / count;
            means[c] = firsts[c] + average;
            deviations[c] = Math.max(0, channelSquares[c] - channelSums[c] * average); // NaN is kept
        }
    }

    private void addPiece(MemorySegment x, long begin, long length, int table) {
        long end = begin + length;
        for (int place = 0; place < runs.period(); place += LENGTH) {
            addVectors(x, begin + place, end - LENGTH, runs.period(), table + place);
        }
        long whole = begin + length / LENGTH * LENGTH;
        for (long i = whole; i < end; i++) {
            int place = table + (int) ((i - begin) % runs.period());
            double difference = (double) x.getAtIndex(ValueLayout.JAVA_FLOAT, i) - centers[place];
            sums[place] += difference;
            squares[place] = Math.fma(difference, difference, squares[place]);
        }
    }

    /// Splits a vector of floats into two halves as wide as a vector of doubles.
    private void addVectors(MemorySegment x, long first, long last, int step, int at) {
        DoubleVector center0 = loadWide(centers, at);
        DoubleVector center1 = loadWide(centers, at + HALF_LENGTH);
        DoubleVector sum0 = DoubleVector.fromArray(DOUBLES, sums, at);
        DoubleVector sum1 = DoubleVector.fromArray(DOUBLES, sums, at + HALF_LENGTH);
        DoubleVector square0 = DoubleVector.fromArray(DOUBLES, squares, at);
        DoubleVector square1 = DoubleVector.fromArray(DOUBLES, squares, at + HALF_LENGTH);
        for (long i = first; i <= last; i += step) {
            DoubleVector d0 = loadWide(x, i).sub(center0);
            DoubleVector d1 = loadWide(x, i + HALF_LENGTH).sub(center1);
            sum0 = sum0.add(d0);
            sum1 = sum1.add(d1);
            square0 = d0.fma(d0, square0);
            square1 = d1.fma(d1, square1);
        }
        sum0.intoArray(sums, at);
        sum1.intoArray(sums, at + HALF_LENGTH);
        square0.intoArray(squares, at);
        square1.intoArray(squares, at + HALF_LENGTH);
    }
}
