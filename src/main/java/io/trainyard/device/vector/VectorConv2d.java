package io.trainyard.device.vector;

import io.trainyard.device.vector.DotProduct.Pieces;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Windows;
import jdk.incubator.vector.FloatVector;
import org.jspecify.annotations.Nullable;

/// Cross-correlation with stride 1 over an already padded input. As a matrix product, the output is the weight
/// (out, taps) times the input's plane shifted by each tap. The output keeps the input's pitch, so its last
/// columns, where the window wraps into the next row, are undefined.
final class VectorConv2d implements VectorLayer {
    private final Values input;
    private final Values output;
    private final FlatModel.Entry weight;
    private final FlatModel.@Nullable Entry bias;
    private final float[] parameters;
    private final float[] gradients;
    private final float[] start; // initial values of the sums of each output channel
    private final int startFrom;
    private final float[] zeros;
    private final int out;
    private final int taps; // of all input channels
    private final int span; // computed elements of an output plane
    private final RowProduct forward;
    private final DotProduct weightGradient;
    private final RowProduct inputGradient;

    /// Whether a kernel supports the convolution: square, with equal padding and stride 1, without dilation and
    /// groups.
    static boolean computes(Conv2d spec) {
        Windows.Side rows = spec.windows().rows();
        return rows.equals(spec.windows().columns())
                && rows.stride() == 1
                && rows.before() == rows.after()
                && spec.groups() == 1;
    }

    VectorConv2d(
            Values input,
            Conv2d spec,
            FlatModel.Entry weight,
            FlatModel.@Nullable Entry bias,
            float[] parameters,
            float[] gradients,
            int samples,
            boolean differentiated) {
        this.input = input;
        this.weight = weight;
        this.bias = bias;
        this.parameters = parameters;
        this.gradients = gradients;
        this.out = spec.out();
        zeros = new float[Math.max(out, input.grid.channels())];
        start = bias == null ? zeros : parameters;
        startFrom = bias == null ? 0 : bias.offset();
        SampleGrid in = input.grid;
        int kernel = spec.kernel().rows();
        int dilation = spec.dilation().rows();
        int reach = (kernel - 1) * dilation;
        taps = in.channels() * kernel * kernel;
        int rows = in.rows() - reach;
        span = Vectors.roundUp(rows * in.pitch());
        output = new Values(outputGrid(in, out, reach, input.hasGradient()), samples, differentiated);

        int outPlane = output.grid.plane();
        int[] shifts = new int[taps];
        int[] weightAt = new int[out * kernel * kernel];
        int[] shiftsBack = new int[out * kernel * kernel];
        for (int r = 0; r < kernel; r++) {
            for (int c = 0; c < kernel; c++) {
                int tap = r * kernel + c;
                int shift = (r * in.pitch() + c) * dilation;
                for (int channel = 0; channel < in.channels(); channel++) {
                    shifts[channel * kernel * kernel + tap] = channel * in.plane() + shift;
                }
                for (int o = 0; o < out; o++) {
                    weightAt[o * kernel * kernel + tap] = o * taps + tap;
                    shiftsBack[o * kernel * kernel + tap] = o * outPlane - shift;
                }
            }
        }
        forward = new RowProduct(taps, RowProduct.steps(taps, 1), shifts, span, outPlane);
        weightGradient = new DotProduct(RowProduct.steps(out, outPlane), shifts, span, taps, 1);
        inputGradient = new RowProduct(
                kernel * kernel, weightAt, shiftsBack, Vectors.roundUp(in.rows() * in.pitch()), in.plane());
    }

    /// The input's gradient at q is a sum over the output's gradients at q minus a tap's shift. If it is needed,
    /// every plane of the output is as long as the input's plus the longest shift, and as much space precedes the
    /// first plane; the extra space stays zero.
    private static SampleGrid outputGrid(SampleGrid in, int out, int reach, boolean inputHasGradient) {
        int rows = in.rows() - reach;
        int columns = in.columns() - reach;
        if (!inputHasGradient) {
            return new SampleGrid(out, rows, columns, in.pitch(), Vectors.roundUp(rows * in.pitch()), 0);
        }
        int plane = Vectors.roundUp(Vectors.roundUp(in.rows() * in.pitch()) + reach);
        return new SampleGrid(out, rows, columns, in.pitch(), plane, Vectors.roundUp(reach * (in.pitch() + 1)));
    }

    @Override
    public Values output() {
        return output;
    }

    @Override
    public void forward(int first, int samples, boolean training) {
        for (int s = 0; s < samples; s++) {
            int from = input.grid.at(s, 0, 0);
            int to = output.grid.at(s, 0, 0);
            forward.set(out, taps, start, startFrom, parameters, weight.offset(), input.data, from, output.data, to);
        }
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        if (weight.spec().trained()) {
            addWeightGradient(samples, accumulate);
        }
        if (bias != null && bias.spec().trained()) {
            addBiasGradient(bias, samples, accumulate);
        }
        if (input.hasGradient()) {
            for (int s = 0; s < samples; s++) {
                inputGradient.set(
                        input.grid.channels(),
                        shiftCount(),
                        zeros,
                        0,
                        parameters,
                        weight.offset(),
                        output.gradient,
                        output.grid.at(s, 0, 0),
                        input.gradient,
                        input.grid.at(s, 0, 0));
            }
        }
    }

    private void addWeightGradient(int samples, boolean accumulate) {
        if (!accumulate) {
            weight.clear(gradients);
        }
        weightGradient.addTo(
                gradients,
                weight.offset(),
                output.gradient,
                output.grid.origin(),
                input.data,
                input.grid.origin(),
                taps,
                new Pieces(samples, output.grid.sample(), input.grid.sample()));
    }

    private int shiftCount() {
        return inputGradient.bOffsets().length;
    }

    private void addBiasGradient(FlatModel.Entry entry, int samples, boolean accumulate) {
        for (int o = 0; o < out; o++) {
            float before = accumulate ? gradients[entry.offset() + o] : 0;
            gradients[entry.offset() + o] = before + sumOfVectors(o, samples);
        }
    }

    /// The sum of a channel's gradients.
    private float sumOfVectors(int channel, int samples) {
        FloatVector sum = FloatVector.zero(Vectors.SPECIES);
        for (int s = 0; s < samples; s++) {
            int at = output.grid.at(s, channel, 0);
            for (int p = 0; p < span; p += Vectors.LENGTH) {
                sum = sum.add(FloatVector.fromArray(Vectors.SPECIES, output.gradient, at + p));
            }
        }
        return Vectors.sum(sum);
    }
}
