package io.trainyard.device.vector;

import io.trainyard.device.vector.DotProduct.Pieces;
import org.jspecify.annotations.Nullable;

/// x W^T + b. The rows of x and of W are padded with zeros to whole tiles, so the products have no remainders.
final class VectorLinear implements VectorLayer {
    private final Values input;
    private final Values output;
    private final FlatModel.Entry weight;
    private final FlatModel.@Nullable Entry bias;
    private final float[] parameters;
    private final float[] gradients;
    private final int out;
    private final float[] zeros;
    private final DotProduct forward;
    private final RowProduct weightGradient;
    private final RowProduct inputGradient;

    VectorLinear(
            Values input,
            int out,
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
        this.out = out;
        zeros = new float[Math.max(out, samples)];
        output = new Values(SampleGrid.vector(out), samples, differentiated);
        int inPitch = input.grid.pitch();
        int outPitch = output.grid.pitch();
        int[] weightRows = RowProduct.steps(out, inPitch);
        int[] inputRows = RowProduct.steps(samples, inPitch);
        forward = new DotProduct(weightRows, inputRows, inPitch, 1, outPitch);
        weightGradient = new RowProduct(1, RowProduct.steps(samples, outPitch), inputRows, inPitch, inPitch);
        inputGradient = new RowProduct(outPitch, RowProduct.steps(out, 1), weightRows, inPitch, inPitch);
    }

    @Override
    public Values output() {
        return output;
    }

    @Override
    public void forward(int first, int samples, boolean training) {
        for (int s = 0; s < samples; s++) {
            int row = output.grid.at(s, 0, 0);
            for (int o = 0; o < out; o++) {
                output.data[row + o] = bias == null ? 0 : parameters[bias.offset() + o];
            }
        }
        forward.addTo(output.data, 0, parameters, weight.offset(), input.data, 0, samples, Pieces.ONE);
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
            inputGradient.set(
                    samples, out, zeros, 0, output.gradient, 0, parameters, weight.offset(), input.gradient, 0);
        }
    }

    private void addWeightGradient(int samples, boolean accumulate) {
        if (accumulate) {
            weightGradient.add(out, samples, output.gradient, 0, input.data, 0, gradients, weight.offset());
        } else {
            weightGradient.set(out, samples, zeros, 0, output.gradient, 0, input.data, 0, gradients, weight.offset());
        }
    }

    private void addBiasGradient(FlatModel.Entry entry, int samples, boolean accumulate) {
        for (int o = 0; o < out; o++) {
            float sum = accumulate ? gradients[entry.offset() + o] : 0;
            for (int s = 0; s < samples; s++) {
                sum += output.gradient[output.grid.at(s, 0, 0) + o];
            }
            gradients[entry.offset() + o] = sum;
        }
    }
}
