package io.trainyard.device.reference;

import io.trainyard.device.session.StateMemory;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.UpdateSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The tensors that carry over between steps, parameters, buffers and the optimizer's state, and the parameters'
/// gradients of the current step.
final class ReferenceState implements StateMemory {
    private final List<ParameterSpec> trained;
    private final UpdateSpec update;
    private final Map<Place, float[]> tensors = new HashMap<>();
    private final Map<ParameterSpec, float[]> gradients = new HashMap<>();

    ReferenceState(List<ParameterSpec> specs, UpdateSpec update) {
        this.trained = specs.stream().filter(ParameterSpec::trained).toList();
        this.update = update;
        specs.forEach(spec -> tensors.put(new Place.Value(spec), zeros(spec)));
        for (ParameterSpec spec : trained) {
            gradients.put(spec, zeros(spec));
            for (int i = 0; i < update.slots().size(); i++) {
                tensors.put(new Place.Slot(spec, i), zeros(spec));
            }
        }
    }

    private static float[] zeros(ParameterSpec spec) {
        return new float[spec.shape().elements()];
    }

    List<ParameterSpec> trained() {
        return trained;
    }

    float[] values(ParameterSpec spec) {
        return tensor(new Place.Value(spec));
    }

    float[] values(Network.Layer layer, String name) {
        return values(parameter(layer, name).orElseThrow());
    }

    /// The values of a parameter by its name within the layer; constants if the layer has no such parameter.
    float[] values(Network.Layer layer, String name, int size, float constant) {
        return parameter(layer, name).map(this::values).orElseGet(() -> {
            float[] constants = new float[size];
            Arrays.fill(constants, constant);
            return constants;
        });
    }

    /// Rounds a gradient; ignores it if the layer has no such parameter.
    void setGradient(Network.Layer layer, String name, double[] sums) {
        parameter(layer, name).ifPresent(spec -> gradients.put(spec, ReferenceLayer.rounded(sums)));
    }

    private static Optional<ParameterSpec> parameter(Network.Layer layer, String name) {
        return layer.parameters().stream()
                .filter(spec -> spec.name().equals(layer.name() + "." + name))
                .findFirst();
    }

    float[] gradient(ParameterSpec parameter) {
        return Objects.requireNonNull(gradients.get(parameter));
    }

    float[] slot(ParameterSpec parameter, String name) {
        return slot(parameter, update.slots().indexOf(name));
    }

    float[] slot(ParameterSpec parameter, int number) {
        return tensor(new Place.Slot(parameter, number));
    }

    private float[] tensor(Place place) {
        return Objects.requireNonNull(tensors.get(place));
    }

    @Override
    public float[] read(Place place) {
        return tensor(place).clone();
    }

    @Override
    public void write(Place place, float[] values) {
        float[] target = tensor(place);
        System.arraycopy(values, 0, target, 0, target.length);
    }
}
