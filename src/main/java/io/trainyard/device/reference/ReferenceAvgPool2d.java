package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// y = the mean x of each window. Each x of a window gets an equal share of its gradient; where windows overlap,
/// shares add up.
final class ReferenceAvgPool2d implements ReferenceLayer {
    /// From one row or column to another, which is not included.
    private record Span(int from, int to) {
        int size() {
            return to - from;
        }
    }

    private final int channels;
    private final int inRows;
    private final int inColumns;
    private final Span[] rows; // one for each row of the output
    private final Span[] columns; // one for each column of the output

    ReferenceAvgPool2d(LayerSpec.AvgPool2d spec, Network.Layer layer) {
        this(
                layer,
                sliding(spec, layer.out().size(1)),
                sliding(spec, layer.out().size(2)));
    }

    ReferenceAvgPool2d(LayerSpec.AdaptiveAvgPool2d spec, Network.Layer layer) {
        this(
                layer,
                covering(layer.in().size(1), spec.out()),
                covering(layer.in().size(2), spec.out()));
    }

    private ReferenceAvgPool2d(Network.Layer layer, Span[] rows, Span[] columns) {
        channels = layer.in().size(0);
        inRows = layer.in().size(1);
        inColumns = layer.in().size(2);
        this.rows = rows;
        this.columns = columns;
    }

    private static Span[] sliding(LayerSpec.AvgPool2d spec, int count) {
        Span[] spans = new Span[count];
        for (int i = 0; i < count; i++) {
            spans[i] = new Span(i * spec.stride(), i * spec.stride() + spec.kernel());
        }
        return spans;
    }

    private static Span[] covering(int size, int count) {
        Span[] spans = new Span[count];
        for (int i = 0; i < count; i++) {
            spans[i] = new Span(i * size / count, Math.ceilDiv((i + 1) * size, count));
        }
        return spans;
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] out = new float[samples * channels * rows.length * columns.length];
        int at = 0;
        for (int image = 0; image < samples * channels; image++) {
            for (Span row : rows) {
                for (Span column : columns) {
                    double sum = 0;
                    for (int r = row.from(); r < row.to(); r++) {
                        for (int c = column.from(); c < column.to(); c++) {
                            sum += in[(image * inRows + r) * inColumns + c];
                        }
                    }
                    out[at++] = (float) (sum / (row.size() * column.size()));
                }
            }
        }
        return out;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        double[] sums = new double[samples * channels * inRows * inColumns];
        int at = 0;
        for (int image = 0; image < samples * channels; image++) {
            for (Span row : rows) {
                for (Span column : columns) {
                    double share = (double) outGradient[at++] / (row.size() * column.size());
                    for (int r = row.from(); r < row.to(); r++) {
                        for (int c = column.from(); c < column.to(); c++) {
                            sums[(image * inRows + r) * inColumns + c] += share;
                        }
                    }
                }
            }
        }
        float[] inGradient = new float[sums.length];
        for (int i = 0; i < sums.length; i++) {
            inGradient[i] = (float) sums[i];
        }
        return inGradient;
    }
}
