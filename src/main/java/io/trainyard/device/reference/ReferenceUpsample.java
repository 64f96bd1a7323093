package io.trainyard.device.reference;

import io.trainyard.spec.Nearest;
import io.trainyard.spec.Network;
import io.trainyard.spec.Upsample;

/// y[r,c] = x[nearest to r, nearest to c]. The gradients of all copies of one x are added.
final class ReferenceUpsample implements ReferenceLayer {
    private final Nearest nearestRow;
    private final Nearest nearestColumn;
    private final int channels;
    private final int outRows;
    private final int outColumns;

    ReferenceUpsample(Upsample spec, Network.Layer layer) {
        nearestRow = spec.rows(layer.in());
        nearestColumn = spec.columns(layer.in());
        channels = layer.in().size(0);
        outRows = layer.out().size(1);
        outColumns = layer.out().size(2);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] out = new float[samples * channels * outRows * outColumns];
        for (int i = 0; i < out.length; i++) {
            out[i] = in[source(i)];
        }
        return out;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        double[] sums = new double[samples * channels * nearestRow.size() * nearestColumn.size()];
        for (int i = 0; i < outGradient.length; i++) {
            sums[source(i)] += outGradient[i];
        }
        return ReferenceLayer.rounded(sums);
    }

    private int source(int i) {
        int image = i / (outRows * outColumns);
        int row = nearestRow.source(i / outColumns % outRows);
        return (image * nearestRow.size() + row) * nearestColumn.size() + nearestColumn.source(i % outColumns);
    }
}
