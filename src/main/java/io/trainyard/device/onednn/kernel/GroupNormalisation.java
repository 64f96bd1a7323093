package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Normalizes groups of channels of each sample by the mean and variance of the group. Sums are in double
/// precision. The backward pass uses the statistics of the forward pass.
///
/// With h = (x - mean) / deviation, g = dL/dy and averages over a group, dL/dx = (scale g - average(scale g) - h
/// average(scale g h)) / deviation.
public final class GroupNormalisation {
    private final ImageLayout one;
    private final long sampleBytes;
    private final int samples;
    private final int groups;
    private final int ofGroup; // channels
    private final float eps;

    private final ValueSums valueSums;
    private final Normalisation normalisation;
    private final ChannelGradientSums gradientSums;
    private final NormalisationGradient normalisationGradient;

    private final double[] means; // of all groups of all samples
    private final double[] inverses; // of their deviations
    private final double[] scaleGradients; // of channels; likewise below
    private final double[] shiftGradients;
    private final double[] first; // arguments and results of the kernels, in the order of their parameters
    private final double[] second;
    private final double[] third;
    private final double[] fourth;

    /// @param one layout of one sample
    public GroupNormalisation(ImageLayout one, int samples, int groups, float eps) {
        this.one = one;
        this.samples = samples;
        this.groups = groups;
        this.eps = eps;
        sampleBytes = one.sampleStride() * Float.BYTES;
        int channels = one.channels();
        ofGroup = channels / groups;
        valueSums = new ValueSums(one, ValueType.FLOAT32);
        normalisation = new Normalisation(one, ValueType.FLOAT32, false);
        gradientSums = new ChannelGradientSums(one, ValueType.FLOAT32);
        normalisationGradient = new NormalisationGradient(one, ValueType.FLOAT32);
        means = new double[samples * groups];
        inverses = new double[samples * groups];
        scaleGradients = new double[channels];
        shiftGradients = new double[channels];
        first = new double[channels];
        second = new double[channels];
        third = new double[channels];
        fourth = new double[channels];
    }

    /// @param scales of channels; null for 1, like the shifts for 0
    /// @param y may be `x`
    public void forward(
            MemorySegment x, @Nullable MemorySegment scales, @Nullable MemorySegment shifts, MemorySegment y) {
        for (int n = 0; n < samples; n++) {
            MemorySegment sample = sample(x, n);
            valueSums.compute(sample, first, second);
            for (int g = 0; g < groups; g++) {
                combine(n * groups + g, g * ofGroup);
            }
            for (int c = 0; c < first.length; c++) {
                int set = n * groups + c / ofGroup;
                double factor = number(scales, c, 1) * inverses[set];
                first[c] = (float) means[set];
                second[c] = factor;
                third[c] = number(shifts, c, 0) + (first[c] - means[set]) * factor;
            }
            normalisation.set(first, second, third);
            normalisation.compute(sample, null, sample(y, n));
        }
    }

    private MemorySegment sample(MemorySegment batch, int number) {
        return batch.asSlice(number * sampleBytes, sampleBytes);
    }

    private static double number(@Nullable MemorySegment numbers, int channel, double without) {
        return numbers == null ? without : numbers.getAtIndex(ValueLayout.JAVA_FLOAT, channel);
    }

    /// Mean and deviation of a group, from its channels' means in `first` and squared deviations in `second`.
    private void combine(int set, int channel) {
        double mean = 0;
        for (int c = channel; c < channel + ofGroup; c++) {
            mean += first[c];
        }
        mean /= ofGroup;
        double squares = 0;
        for (int c = channel; c < channel + ofGroup; c++) {
            double apart = first[c] - mean;
            squares += second[c] + one.area() * apart * apart;
        }
        means[set] = mean;
        inverses[set] = 1 / Math.sqrt(squares / ((double) ofGroup * one.area()) + eps);
    }

    /// Call after [#forward] with the same `x`.
    ///
    /// @param gradient of the outputs
    /// @param scales as in [#forward]
    /// @param inputGradient may be `gradient`
    public void backward(
            MemorySegment gradient, MemorySegment x, @Nullable MemorySegment scales, MemorySegment inputGradient) {
        Arrays.fill(scaleGradients, 0);
        Arrays.fill(shiftGradients, 0);
        for (int n = 0; n < samples; n++) {
            MemorySegment given = sample(gradient, n);
            MemorySegment sample = sample(x, n);
            for (int c = 0; c < first.length; c++) {
                first[c] = (float) means[n * groups + c / ofGroup];
            }
            gradientSums.compute(given, sample, first, second, third);
            for (int g = 0; g < groups; g++) {
                differentiate(n * groups + g, g * ofGroup, scales);
            }
            normalisationGradient.set(first, second, third, fourth);
            normalisationGradient.compute(given, sample, sample(inputGradient, n));
        }
    }

    /// Reads the sums of a group's gradients from `second`, and of their products with (input - center) from
    /// `third`. Writes the coefficients of the inputs' gradients to `second`, `third` and `fourth`.
    private void differentiate(int set, int channel, @Nullable MemorySegment scales) {
        double inverse = inverses[set];
        double rounding = (first[channel] - means[set]) * inverse;
        double average = 0;
        double averageProduct = 0;
        for (int c = channel; c < channel + ofGroup; c++) {
            double product = inverse * third[c] + rounding * second[c]; // with the normalized values
            scaleGradients[c] += product;
            shiftGradients[c] += second[c];
            average += number(scales, c, 1) * second[c];
            averageProduct += number(scales, c, 1) * product;
        }
        double count = (double) ofGroup * one.area();
        average /= count;
        averageProduct /= count;
        for (int c = channel; c < channel + ofGroup; c++) {
            second[c] = number(scales, c, 1) * inverse;
            third[c] = -inverse * inverse * averageProduct;
            fourth[c] = -inverse * (average + rounding * averageProduct);
        }
    }

    /// The gradients of the last [#backward], summed over the samples.
    ///
    /// @param ofScales null if not needed, like those of the shifts
    public void readParameterGradients(@Nullable MemorySegment ofScales, @Nullable MemorySegment ofShifts) {
        if (ofScales != null && ofShifts != null) {
            for (int c = 0; c < scaleGradients.length; c++) {
                ofScales.setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) scaleGradients[c]);
                ofShifts.setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) shiftGradients[c]);
            }
        }
    }
}
