package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// y[n,o] = bias[o] + sum over i of weight[o,i] x[n,i].
final class ReferenceLinear implements ReferenceLayer {
    private final Network.Layer layer;
    private final ReferenceState state;
    private final int ins;
    private final int outs;
    private final float[] weight; // (outs, ins)
    private final float[] bias; // (outs); 0 without bias
    private float[] in = {}; // (samples, ins)

    ReferenceLinear(LayerSpec.Linear spec, Network.Layer layer, ReferenceState state) {
        ins = layer.in().size(0);
        outs = spec.out();
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
        float[] out = new float[samples * outs];
        for (int n = 0; n < samples; n++) {
            for (int o = 0; o < outs; o++) {
                double sum = bias[o];
                for (int i = 0; i < ins; i++) {
                    sum += (double) weight[o * ins + i] * in[n * ins + i];
                }
                out[n * outs + o] = (float) sum;
            }
        }
        return out;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        double[] biasSums = new double[outs];
        double[] weightSums = new double[weight.length];
        for (int o = 0; o < outs; o++) {
            for (int n = 0; n < samples; n++) {
                biasSums[o] += outGradient[n * outs + o];
                for (int i = 0; i < ins; i++) {
                    weightSums[o * ins + i] += (double) outGradient[n * outs + o] * in[n * ins + i];
                }
            }
        }
        state.setGradient(layer, "weight", weightSums);
        state.setGradient(layer, "bias", biasSums);
        float[] inGradient = new float[samples * ins];
        for (int n = 0; n < samples; n++) {
            for (int i = 0; i < ins; i++) {
                double sum = 0;
                for (int o = 0; o < outs; o++) {
                    sum += (double) outGradient[n * outs + o] * weight[o * ins + i];
                }
                inGradient[n * ins + i] = (float) sum;
            }
        }
        return inGradient;
    }
}
