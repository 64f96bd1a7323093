package io.trainyard.device.reference;

import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows;

/// y = the mean x of each window, with padding as 0 if it counts. Each x of a window gets an equal share of its
/// gradient; shares of overlapping windows are added.
final class ReferenceAvgPool2d implements ReferenceLayer {
    /// A range of rows or columns, with an exclusive end.
    ///
    /// @param counted rows or columns in the divisor of the mean, which may include padding
    private record Span(int from, int to, int counted) {}

    private final int channels;
    private final int inRows;
    private final int inColumns;
    private final Span[] rows; // one for each row of the output
    private final Span[] columns; // one for each column of the output

    ReferenceAvgPool2d(Pooling.AvgPool2d spec, Network.Layer layer) {
        this(
                layer,
                sliding(
                        spec.windows().rows(),
                        spec.countIncludePad(),
                        layer.in().size(1),
                        layer.out().size(1)),
                sliding(
                        spec.windows().columns(),
                        spec.countIncludePad(),
                        layer.in().size(2),
                        layer.out().size(2)));
    }

    ReferenceAvgPool2d(Pooling.AdaptiveAvgPool2d spec, Network.Layer layer) {
        this(
                layer,
                covering(layer.in().size(1), spec.out().rows()),
                covering(layer.in().size(2), spec.out().columns()));
    }

    private ReferenceAvgPool2d(Network.Layer layer, Span[] rows, Span[] columns) {
        channels = layer.in().size(0);
        inRows = layer.in().size(1);
        inColumns = layer.in().size(2);
        this.rows = rows;
        this.columns = columns;
    }

    private static Span[] sliding(Windows.Side side, boolean countPadding, int size, int count) {
        Span[] spans = new Span[count];
        for (int i = 0; i < count; i++) {
            int begin = i * side.stride() - side.before();
            int end = Math.min(begin + side.taps(), size + side.after());
            int from = Math.max(begin, 0);
            int to = Math.min(end, size);
            spans[i] = new Span(from, to, countPadding ? end - begin : to - from);
        }
        return spans;
    }

    private static Span[] covering(int size, int count) {
        Span[] spans = new Span[count];
        for (int i = 0; i < count; i++) {
            int from = i * size / count;
            int to = Math.ceilDiv((i + 1) * size, count);
            spans[i] = new Span(from, to, to - from);
        }
        return spans;
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
                    out[at++] = (float) (sum / (row.counted() * column.counted()));
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
                    double share = (double) outGradient[at++] / (row.counted() * column.counted());
                    for (int r = row.from(); r < row.to(); r++) {
                        for (int c = column.from(); c < column.to(); c++) {
                            sums[(image * inRows + r) * inColumns + c] += share;
                        }
                    }
                }
            }
        }
        return ReferenceLayer.rounded(sums);
    }
}
