package io.trainyard.device;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// PyTorch's initial weights, drawn in the order of `state_dict()`.
public final class Initializer {
    private Initializer() {}

    public static Parameters initial(Network network, TorchRandom random) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (ParameterSpec parameter : network.parameters()) {
            tensors.put(parameter.name(), initial(parameter, random));
        }
        for (ParameterSpec parameter : network.parameters()) {
            if (parameter.init() instanceof ParameterSpec.Init.Normal(double deviation) && deviation > 0) {
                float[] values = new float[parameter.shape().elements()];
                random.normal(values, deviation);
                tensors.put(parameter.name(), new Tensor.Floats(parameter.shape(), values));
            }
        }
        return new Parameters(tensors);
    }

    private static Tensor initial(ParameterSpec parameter, TorchRandom random) {
        float[] values = new float[parameter.shape().elements()];
        switch (parameter.init()) {
            case ParameterSpec.Init.Counter _ -> {
                return new Tensor.Longs(parameter.shape(), new long[values.length]);
            }
            case ParameterSpec.Init.Constant(float value) -> Arrays.fill(values, value);
            case ParameterSpec.Init.Normal _ -> random.skip(values.length);
            case ParameterSpec.Init.Uniform(double bound) -> {
                for (int i = 0; i < values.length; i++) {
                    values[i] = random.uniform(-bound, bound);
                }
            }
        }
        return new Tensor.Floats(parameter.shape(), values);
    }
}
