package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import io.trainyard.spec.Windows;

/// y[n,o,r,c] = bias[o] + sum over i, a, b of weight[o,i,a,b]
/// x[n,first+i,r*stride-padding+a*dilation,c*stride-padding+b*dilation], where x is 0 outside the image and `first`
/// is the first input channel of o's group; rows and columns have separate strides, paddings and dilations.
final class ReferenceConv2d implements ReferenceLayer {
    private final Network.Layer layer;
    private final ReferenceState state;
    private final Windows.Side rows;
    private final Windows.Side columns;
    private final int ins;
    private final int seen; // input channels of a group
    private final int outsOfGroup;
    private final int inRows;
    private final int inColumns;
    private final int outs;
    private final int outRows;
    private final int outColumns;
    private final float[] weight; // (outs, seen, kernel rows, kernel columns)
    private final float[] bias; // (outs); 0 without bias
    private float[] in = {}; // (samples, ins, inRows, inColumns)

    ReferenceConv2d(Conv2d spec, Network.Layer layer, ReferenceState state) {
        rows = spec.windows().rows();
        columns = spec.windows().columns();
        ins = layer.in().size(0);
        seen = ins / spec.groups();
        outsOfGroup = spec.out() / spec.groups();
        inRows = layer.in().size(1);
        inColumns = layer.in().size(2);
        outs = layer.out().size(0);
        outRows = layer.out().size(1);
        outColumns = layer.out().size(2);
        this.layer = layer;
        this.state = state;
        weight = state.values(layer, "weight");
        bias = state.values(layer, "bias", outs, 0);
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        this.in = in;
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] out = new float[samples * outs * outRows * outColumns];
        for (int n = 0, at = 0; n < samples; n++) {
            for (int o = 0; o < outs; o++) {
                for (int r = 0; r < outRows; r++) {
                    for (int c = 0; c < outColumns; c++, at++) {
                        double[] sum = {bias[o]};
                        forEachTap(n, o, r, c, (x, w) -> sum[0] += (double) weight[w] * in[x]);
                        out[at] = (float) sum[0];
                    }
                }
            }
        }
        return out;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        double[] inSums = new double[in.length];
        double[] weightSums = new double[weight.length];
        double[] biasSums = new double[outs];
        for (int n = 0, at = 0; n < samples; n++) {
            for (int o = 0; o < outs; o++) {
                for (int r = 0; r < outRows; r++) {
                    for (int c = 0; c < outColumns; c++, at++) {
                        double gradient = outGradient[at];
                        biasSums[o] += gradient;
                        forEachTap(n, o, r, c, (x, w) -> {
                            weightSums[w] += gradient * in[x];
                            inSums[x] += gradient * weight[w];
                        });
                    }
                }
            }
        }
        state.setGradient(layer, "weight", weightSums);
        state.setGradient(layer, "bias", biasSums);
        return ReferenceLayer.rounded(inSums);
    }

    private interface Tap {
        /// @param x the input's index
        /// @param w the index of its weight
        void accept(int x, int w);
    }

    /// Visits each product in the sum of the output (n, o, r, c).
    private void forEachTap(int n, int o, int r, int c, Tap tap) {
        int first = o / outsOfGroup * seen;
        for (int i = 0; i < seen; i++) {
            for (int a = 0; a < rows.taps(); a++) {
                int row = r * rows.stride() - rows.before() + a * rows.dilation();
                for (int b = 0; b < columns.taps(); b++) {
                    int column = c * columns.stride() - columns.before() + b * columns.dilation();
                    if (row >= 0 && row < inRows && column >= 0 && column < inColumns) {
                        int x = ((n * ins + first + i) * inRows + row) * inColumns + column;
                        int w = ((o * seen + i) * rows.taps() + a) * columns.taps() + b;
                        tap.accept(x, w);
                    }
                }
            }
        }
    }
}
