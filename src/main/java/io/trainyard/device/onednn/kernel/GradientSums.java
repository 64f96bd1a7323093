package io.trainyard.device.onednn.kernel;

import static io.trainyard.device.onednn.kernel.Runs.DOUBLES;
import static io.trainyard.device.onednn.kernel.Runs.HALF_LENGTH;
import static io.trainyard.device.onednn.kernel.Runs.LENGTH;
import static io.trainyard.device.onednn.kernel.Runs.loadWide;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.jspecify.annotations.Nullable;

/// For each channel the sum of the gradients of a layer's outputs, and the sum of their products with how far the
/// inputs are from the channel's center; in double precision, where such a product is exact.
public final class GradientSums {
    private final Runs runs;
    private final float[] centers; // as a table
    private final double[] sums; // tables
    private final double[] products;

    public GradientSums(ImageLayout layout) {
        runs = new Runs(layout);
        centers = new float[runs.places()];
        sums = new double[runs.places()];
        products = new double[runs.places()];
    }

    /// @param x the layer's input
    /// @param channelCenters float32 values, one for each channel
    /// @param channelSums filled with the sums of the gradients
    /// @param channelProducts filled with those of their products
    public void compute(
            MemorySegment gradient,
            MemorySegment x,
            double[] channelCenters,
            double[] channelSums,
            double[] channelProducts) {
        sum(null, null, gradient, x, channelCenters, channelSums, channelProducts);
    }

    /// As [#compute], behind a ReLU: first sets the gradients to 0 where its output is not above 0. A NaN lets its
    /// gradient pass, as in PyTorch.
    ///
    /// @param output of the ReLU
    /// @param source the gradients of its output
    /// @param gradient where those of its input are put; may be `source`
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

    /// @param source null where no ReLU stands behind
    /// @param output null where no ReLU stands behind
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
        ImageLayout layout = runs.layout();
        for (int n = 0; n < layout.samples(); n++) {
            for (int b = 0; b < layout.blocks(); b++) {
                long begin = layout.begin(n, b);
                long last = begin + layout.run() - LENGTH;
                if (source != null && output != null) {
                    maskVectors(source, output, gradient, begin, last);
                    maskRest(source, output, gradient, begin);
                }
                for (int place = 0; place < runs.period(); place += LENGTH) {
                    addVectors(gradient, x, begin + place, last, runs.period(), b * runs.period() + place);
                }
                addRest(gradient, x, begin, b * runs.period());
            }
        }
        runs.fold(sums, channelSums);
        runs.fold(products, channelProducts);
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
            FloatVector blocked = Runs.load(output, i);
            Runs.store(Runs.load(source, i).blend(0f, blocked.compare(VectorOperators.LE, 0f)), gradient, i);
        }
    }

    /// What is less than a vector at a run's end.
    private void addRest(MemorySegment gradient, MemorySegment x, long begin, int table) {
        long run = runs.layout().run();
        for (long i = run / LENGTH * LENGTH; i < run; i++) {
            int place = table + (int) (i % runs.period());
            double g = gradient.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i);
            sums[place] += g;
            double difference = (double) x.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i) - centers[place];
            products[place] = Math.fma(g, difference, products[place]);
        }
    }

    private void maskRest(MemorySegment source, MemorySegment output, MemorySegment gradient, long begin) {
        long run = runs.layout().run();
        for (long i = begin + run / LENGTH * LENGTH; i < begin + run; i++) {
            boolean blocked = output.getAtIndex(ValueLayout.JAVA_FLOAT, i) <= 0;
            gradient.setAtIndex(ValueLayout.JAVA_FLOAT, i, blocked ? 0 : source.getAtIndex(ValueLayout.JAVA_FLOAT, i));
        }
    }
}
