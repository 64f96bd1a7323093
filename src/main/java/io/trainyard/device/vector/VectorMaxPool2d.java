package io.trainyard.device.vector;

import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows;
import java.util.Arrays;

/// The largest value of each window; the gradient goes to the first of equal values, row by row, as in PyTorch.
final class VectorMaxPool2d implements VectorLayer {
    private final Values input;
    private final Values output;
    private final int kernel;
    private final int stride;

    /// The index in the input's array of each window's maximum, in the output's order.
    private final int[] positions;

    /// Whether a kernel supports the pooling: square and dense windows that fit completely, without padding.
    static boolean computes(Pooling.MaxPool2d spec) {
        Windows.Side rows = spec.windows().rows();
        return rows.equals(spec.windows().columns()) && rows.before() == 0 && rows.dilation() == 1 && !rows.ceil();
    }

    VectorMaxPool2d(Values input, int rows, int columns, int kernel, int stride, int samples) {
        this.input = input;
        this.kernel = kernel;
        this.stride = stride;
        output = new Values(SampleGrid.tiled(input.grid.channels(), rows, columns), samples, input.hasGradient());
        positions = new int[samples * output.grid.elements()];
    }

    @Override
    public Values output() {
        return output;
    }

    @Override
    public void forward(int first, int samples, boolean training) {
        SampleGrid out = output.grid;
        int next = 0;
        for (int s = 0; s < samples; s++) {
            for (int channel = 0; channel < out.channels(); channel++) {
                for (int row = 0; row < out.rows(); row++) {
                    poolRow(input.grid.at(s, channel, row * stride), out.at(s, channel, row), next);
                    next += out.columns();
                }
            }
        }
    }

    private void poolRow(int from, int to, int next) {
        float[] data = input.data;
        int pitch = input.grid.pitch();
        for (int column = 0; column < output.grid.columns(); column++) {
            int corner = from + column * stride;
            int best = corner;
            for (int r = 0; r < kernel; r++) {
                for (int at = corner + r * pitch; at < corner + r * pitch + kernel; at++) {
                    // NaN is the largest, as in PyTorch.
                    best = data[at] > data[best] || Float.isNaN(data[at]) ? at : best;
                }
            }
            output.data[to + column] = data[best];
            positions[next + column] = best;
        }
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        if (!input.hasGradient()) {
            return;
        }
        Arrays.fill(input.gradient, input.grid.origin(), input.end(samples), 0);
        SampleGrid out = output.grid;
        int next = 0;
        for (int s = 0; s < samples; s++) {
            for (int channel = 0; channel < out.channels(); channel++) {
                for (int row = 0; row < out.rows(); row++) {
                    int at = out.at(s, channel, row);
                    for (int column = 0; column < out.columns(); column++) {
                        input.gradient[positions[next++]] += output.gradient[at + column];
                    }
                }
            }
        }
    }
}
