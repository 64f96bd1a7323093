package io.trainyard.device.vector;

import static io.trainyard.device.vector.LaneProduct.COLUMNS;
import static io.trainyard.device.vector.LaneProduct.ROWS;

import io.trainyard.device.vector.LaneProduct.Terms;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// [ChunkLinear] of several models.
final class LaneLinear implements LaneLayer {
    private static final int LANES = Lanes.COUNT;

    private final LaneValues input;
    private final LaneValues output;
    private final FlatModel.Entry weight;
    private final FlatModel.@Nullable Entry bias;
    private final LaneModel model;
    private final int in;
    private final int out;
    private final Terms[][] parts; // of the inputs: (block, part)
    private final Terms ofSamples; // outputs' gradients and inputs
    private final Terms ofOutputs; // weights and outputs' gradients
    private final LaneProduct product = new LaneProduct();
    private final LaneSums sums = new LaneSums(LaneProduct.TILE);
    private final float[] rowGradients; // of as many rows of the weight as are summed together
    private final float[] biasGradient;

    LaneLinear(
            LaneValues input,
            int out,
            FlatModel.Entry weight,
            FlatModel.@Nullable Entry bias,
            LaneModel model,
            int samples) {
        this.input = input;
        this.weight = weight;
        this.bias = bias;
        this.model = model;
        this.in = input.elements();
        this.out = out;
        output = LaneValues.dense(1, 1, out, out, samples, true);
        int blocks = Math.ceilDiv(in, DotProduct.BLOCK);
        parts = new Terms[blocks][];
        for (int block = 0; block < blocks; block++) {
            int from = block * DotProduct.BLOCK;
            parts[block] = parts(from, Math.min(in, from + DotProduct.BLOCK));
        }
        ofSamples = Terms.all(RowProduct.steps(samples, out * LANES), RowProduct.steps(samples, in * LANES));
        ofOutputs = Terms.all(RowProduct.steps(out, weight.pitch() * LANES), RowProduct.steps(out, LANES));
        rowGradients = new float[ROWS * weight.pitch() * LANES];
        biasGradient = new float[out * LANES];
    }

    private static Terms[] parts(int from, int to) {
        Terms[] parts = new Terms[LANES];
        for (int n = 0; n < LANES; n++) {
            int first = from + Lanes.part(n);
            int[] inputs = new int[Math.max(0, Math.ceilDiv(to - first, LANES))];
            for (int i = 0; i < inputs.length; i++) {
                inputs[i] = (first + i * LANES) * LANES;
            }
            parts[n] = Terms.all(inputs, inputs);
        }
        return parts;
    }

    @Override
    public LaneValues output() {
        return output;
    }

    @Override
    public void forward(int first, int samples) {
        for (int s = 0; s < samples; s++) {
            int to = s * output.stride();
            if (bias == null) {
                Arrays.fill(output.data(), to, to + output.stride(), 0);
            } else {
                System.arraycopy(model.values(), bias.offset() * LANES, output.data(), to, output.stride());
            }
        }
        for (int row = 0; row < out; row += ROWS) {
            for (int s = 0; s < samples; s += COLUMNS) {
                multiply(row, s, samples);
            }
        }
    }

    private void multiply(int row, int sample, int samples) {
        for (int r = 0; r < ROWS; r++) {
            int o = Math.min(row + r, out - 1);
            product.row(r, (weight.offset() + o * weight.pitch()) * LANES, 0, 0);
        }
        for (int c = 0; c < COLUMNS; c++) {
            product.column(c, Math.min(sample + c, samples - 1) * input.stride(), 0);
        }
        for (Terms[] block : parts) {
            for (int n = 0; n < LANES; n++) {
                product.tile(sums.next());
                product.sum(block[n], model.values(), input.data(), sums.array());
                sums.add(n);
            }
            for (int r = 0; r < Math.min(ROWS, out - row); r++) {
                for (int c = 0; c < Math.min(COLUMNS, samples - sample); c++) {
                    int to = (sample + c) * output.stride() + (row + r) * LANES;
                    LaneSums.addVectors(output.data(), to, sums.array(), (r * COLUMNS + c) * LANES, LANES);
                }
            }
        }
    }

    @Override
    public void backward(Chunk chunk) {
        if (input.hasGradient()) {
            for (int i = 0; i < in; i += ROWS) {
                for (int s = 0; s < chunk.samples(); s += COLUMNS) {
                    multiplyBack(i, s, chunk.samples());
                }
            }
        }
        for (int row = 0; row < out; row += ROWS) {
            int rows = Math.min(ROWS, out - row);
            sumGradients(row, chunk.samples());
            model.follow(chunk, rowGradients, weight.offset() + row * weight.pitch(), rows * weight.pitch());
        }
        if (bias != null) {
            Arrays.fill(biasGradient, 0);
            if (!chunk.isFirst()) {
                model.takeGradient(biasGradient, bias.offset(), out);
            }
            for (int s = 0; s < chunk.samples(); s++) {
                LaneSums.addVectors(biasGradient, 0, output.gradient(), s * output.stride(), output.stride());
            }
            model.followWhole(chunk, biasGradient, bias.offset(), out);
        }
    }

    /// The gradient of some inputs: over the outputs in their order.
    private void multiplyBack(int i, int sample, int samples) {
        for (int r = 0; r < ROWS; r++) {
            int own = Math.min(i + r, in - 1);
            product.row(r, (weight.offset() + own) * LANES, 0, own * LANES);
        }
        for (int c = 0; c < COLUMNS; c++) {
            int s = Math.min(sample + c, samples - 1);
            product.column(c, s * output.stride(), s * input.stride());
        }
        product.sum(ofOutputs, model.values(), output.gradient(), input.gradient());
    }

    /// The gradients of some rows of the weight: over the samples in their order.
    private void sumGradients(int row, int samples) {
        for (int r = 0; r < ROWS; r++) {
            int own = Math.min(row + r, out - 1);
            product.row(r, own * LANES, 0, (own - row) * weight.pitch() * LANES);
        }
        for (int i = 0; i < in; i += COLUMNS) {
            for (int c = 0; c < COLUMNS; c++) {
                int own = Math.min(i + c, in - 1);
                product.column(c, own * LANES, own * LANES);
            }
            product.sum(ofSamples.part(0, samples), output.gradient(), input.data(), rowGradients);
        }
    }
}
