package io.trainyard.device.onednn.kernel;

import static io.trainyard.device.onednn.kernel.VectorRuns.DOUBLES;
import static io.trainyard.device.onednn.kernel.VectorRuns.HALF_LENGTH;
import static io.trainyard.device.onednn.kernel.VectorRuns.LENGTH;
import static io.trainyard.device.onednn.kernel.VectorRuns.loadWide;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.jspecify.annotations.Nullable;

/// For each channel the sum of a layer's output gradients, and the sum of these times (input - center); in double
/// precision, where such a product is exact.
public final class ChannelGradientSums {
    private final VectorRuns runs;
    private final float[] centers; // as a table
    private final double[] sums; // tables
    private final double[] products;

    public ChannelGradientSums(ImageLayout layout, ValueType type) {
        runs = new VectorRuns(layout, type, 3);
        centers = new float[runs.places()];
        sums = new double[runs.places()];
        products = new double[runs.places()];
    }

    /// @param x the layer's input
    /// @param channelCenters float32 values, one for each channel
    /// @param channelSums receives the sums of the gradients
    /// @param channelProducts receives the sums of their products
    public void compute(
            MemorySegment gradient,
            MemorySegment x,
            double[] channelCenters,
            double[] channelSums,
            double[] channelProducts) {
        sum(null, null, gradient, x, channelCenters, channelSums, channelProducts);
    }

    /// Like [#compute], after a ReLU: first sets the gradients to 0 where the ReLU's output is not above 0. At NaN
    /// the gradient passes, as in PyTorch.
    ///
    /// @param output of the ReLU
    /// @param source the gradients of its output
    /// @param gradient receives the gradients of its input; may be `source`
    public void computeBehindRelu(
            MemorySegment source,
            MemorySegment output,
            MemorySegment gradient,
            MemorySegment x,
            double[] channelCenters,
            double[] channelSums,
            double[] channelProducts) {
        sum(source, output, gradient, x, channelCenters, channelSums, channelProducts);
    }

    /// @param source null without a ReLU
    /// @param output null without a ReLU
    private void sum(
            @Nullable MemorySegment source,
            @Nullable MemorySegment output,
            MemorySegment gradient,
            MemorySegment x,
            double[] channelCenters,
            double[] channelSums,
            double[] channelProducts) {
        runs.spread(channelCenters, centers);
        Arrays.fill(sums, 0);
        Arrays.fill(products, 0);
        runs.forEachPiece((first, length, table) -> {
            if (source != null && output != null) {
                maskPiece(source, output, gradient, first, length);
                addPiece(runs.target(0, gradient), runs.read(1, x, first, length), runs.at(first), length, table);
            } else {
                MemorySegment given = runs.read(0, gradient, first, length);
                addPiece(given, runs.read(1, x, first, length), runs.at(first), length, table);
            }
        });
        runs.fold(sums, channelSums);
        runs.fold(products, channelProducts);
    }

    /// Writes the masked gradients to the kernel's first tensor.
    private void maskPiece(
            MemorySegment source, MemorySegment output, MemorySegment gradient, long first, long length) {
        MemorySegment given = runs.read(0, source, first, length);
        MemorySegment values = runs.read(2, output, first, length);
        MemorySegment masked = runs.target(0, gradient);
        long begin = runs.at(first);
        maskVectors(given, values, masked, begin, begin + length - LENGTH);
        maskRest(given, values, masked, begin, length);
        runs.wrote(0, gradient, first, length);
    }

    private void addPiece(MemorySegment gradient, MemorySegment x, long begin, long length, int table) {
        long last = begin + length - LENGTH;
        for (int place = 0; place < runs.period(); place += LENGTH) {
            addVectors(gradient, x, begin + place, last, runs.period(), table + place);
        }
        addRest(gradient, x, begin, length, table);
    }

    private void addVectors(MemorySegment gradient, MemorySegment x, long first, long last, int step, int at) {
        DoubleVector center0 = loadWide(centers, at);
        DoubleVector center1 = loadWide(centers, at + HALF_LENGTH);
        DoubleVector sum0 = DoubleVector.fromArray(DOUBLES, sums, at);
        DoubleVector sum1 = DoubleVector.fromArray(DOUBLES, sums, at + HALF_LENGTH);
        DoubleVector product0 = DoubleVector.fromArray(DOUBLES, products, at);
        DoubleVector product1 = DoubleVector.fromArray(DOUBLES, products, at + HALF_LENGTH);
        for (long i = first; i <= last; i += step) {
            DoubleVector g0 = loadWide(gradient, i);
            DoubleVector g1 = loadWide(gradient, i + HALF_LENGTH);
            sum0 = sum0.add(g0);
            sum1 = sum1.add(g1);
            product0 = g0.fma(loadWide(x, i).sub(center0), product0);
            product1 = g1.fma(loadWide(x, i + HALF_LENGTH).sub(center1), product1);
        }
        sum0.intoArray(sums, at);
        sum1.intoArray(sums, at + HALF_LENGTH);
        product0.intoArray(products, at);
        product1.intoArray(products, at + HALF_LENGTH);
    }

    private void maskVectors(
            MemorySegment source, MemorySegment output, MemorySegment gradient, long first, long last) {
        for (long i = first; i <= last; i += LENGTH) {
            FloatVector blocked = VectorRuns.load(output, i);
            VectorRuns.store(
                    VectorRuns.load(source, i).blend(0f, blocked.compare(VectorOperators.LE, 0f)), gradient, i);
        }
    }

    private void addRest(MemorySegment gradient, MemorySegment x, long begin, long length, int table) {
        for (long i = length / LENGTH * LENGTH; i < length; i++) {
            int place = table + (int) (i % runs.period());
            double g = gradient.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i);
            sums[place] += g;
            double difference = (double) x.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i) - centers[place];
            products[place] = Math.fma(g, difference, products[place]);
        }
    }

    private static void maskRest(
            MemorySegment source, MemorySegment output, MemorySegment gradient, long begin, long length) {
        for (long i = begin + length / LENGTH * LENGTH; i < begin + length; i++) {
            boolean blocked = output.getAtIndex(ValueLayout.JAVA_FLOAT, i) <= 0;
            gradient.setAtIndex(ValueLayout.JAVA_FLOAT, i, blocked ? 0 : source.getAtIndex(ValueLayout.JAVA_FLOAT, i));
        }
    }
}
