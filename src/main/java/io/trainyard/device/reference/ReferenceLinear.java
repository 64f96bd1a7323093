package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// y[n,o] = bias[o] + sum over i of weight[o,i] x[n,i].
final class ReferenceLinear implements ReferenceLayer {
    private final int ins;
    private final int outs;
    private final float[] weight; // (outs, ins)
    private final float[] weightGradient;
    private final float[] bias; // (outs), or empty without bias
    private final float[] biasGradient;
    private float[] in = {}; // (samples, ins)

    ReferenceLinear(LayerSpec.Linear spec, Network.Layer layer, ReferenceState state) {
        ins = layer.in().size(0);
        outs = spec.out();
        var weightSpec = ReferenceLayer.parameter(layer, "weight");
        weight = state.values(weightSpec);
        weightGradient = state.gradient(weightSpec);
        bias = spec.bias() ? state.values(ReferenceLayer.parameter(layer, "bias")) : new float[0];
        biasGradient = spec.bias() ? state.gradient(ReferenceLayer.parameter(layer, "bias")) : new float[0];
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
                double sum = bias.length == 0 ? 0 : bias[o];
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
        for (int o = 0; o < bias.length; o++) {
            double sum = 0;
            for (int n = 0; n < samples; n++) {
                sum += outGradient[n * outs + o];
            }
            biasGradient[o] = (float) sum;
        }
        for (int o = 0; o < outs; o++) {
            for (int i = 0; i < ins; i++) {
                double sum = 0;
                for (int n = 0; n < samples; n++) {
                    sum += (double) outGradient[n * outs + o] * in[n * ins + i];
                }
                weightGradient[o * ins + i] = (float) sum;
            }
        }
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
