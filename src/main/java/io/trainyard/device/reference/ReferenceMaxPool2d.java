package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows;

/// y = the largest x of each window, ignoring padding. The gradient goes to that x; of equals to the first in
/// row-major order, as in PyTorch. Gradients of overlapping windows are added.
final class ReferenceMaxPool2d implements ReferenceLayer {
    private final Windows.Side rows;
    private final Windows.Side columns;
    private final int channels;
    private final int inRows;
    private final int inColumns;
    private final int outRows;
    private final int outColumns;
    private int[] chosen = {}; // (samples, channels, outRows, outColumns): the index into the input

    ReferenceMaxPool2d(Pooling.MaxPool2d spec, Network.Layer layer) {
        rows = spec.windows().rows();
        columns = spec.windows().columns();
        channels = layer.in().size(0);
        inRows = layer.in().size(1);
        inColumns = layer.in().size(2);
        outRows = layer.out().size(1);
        outColumns = layer.out().size(2);
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        chosen = choose(in, samples);
        return pick(in, chosen);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        return pick(in, choose(in, samples));
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        double[] sums = new double[samples * channels * inRows * inColumns];
        for (int i = 0; i < chosen.length; i++) {
            sums[chosen[i]] += outGradient[i];
        }
        return ReferenceLayer.rounded(sums);
    }

    private int[] choose(float[] in, int samples) {
        int[] indices = new int[samples * channels * outRows * outColumns];
        for (int image = 0, at = 0; image < samples * channels; image++) {
            for (int r = 0; r < outRows; r++) {
                for (int c = 0; c < outColumns; c++, at++) {
                    indices[at] = largest(in, image, r, c);
                }
            }
        }
        return indices;
    }

    private int largest(float[] in, int image, int r, int c) {
        int best = -1; // none yet
        for (int a = 0; a < rows.taps(); a++) {
            int row = r * rows.stride() - rows.before() + a * rows.dilation();
            for (int b = 0; b < columns.taps(); b++) {
                int column = c * columns.stride() - columns.before() + b * columns.dilation();
                if (row < 0 || row >= inRows || column < 0 || column >= inColumns) {
                    continue;
                }
                int index = (image * inRows + row) * inColumns + column;
                if (best < 0 || in[index] > in[best] || Float.isNaN(in[index])) {
                    best = index;
                }
            }
        }
        return best;
    }

    private static float[] pick(float[] values, int[] indices) {
        float[] picked = new float[indices.length];
        for (int i = 0; i < indices.length; i++) {
            picked[i] = values[indices[i]];
        }
        return picked;
    }
}
