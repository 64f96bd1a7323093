package io.trainyard.device.reference;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The values that live from step to step, by their full names: parameters and buffers, the parameters' gradients of
/// the present step, and the optimizer's state.
final class ReferenceState {
    private final List<ParameterSpec> specs;
    private final List<ParameterSpec> optimizerSpecs;
    private final Parameters model;
    private final Parameters gradients;
    private final Parameters optimizer;

    ReferenceState(List<ParameterSpec> specs, OptimizerSpec optimizer) {
        this.specs = specs;
        this.optimizerSpecs = optimizer.state(specs);
        this.model = zeros(specs);
        this.gradients = zeros(trained());
        this.optimizer = zeros(optimizerSpecs);
    }

    private static Parameters zeros(List<ParameterSpec> specs) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (ParameterSpec spec : specs) {
            int elements = spec.shape().elements();
            tensors.put(
                    spec.name(),
                    spec.init() instanceof Init.Counter
                            ? new Tensor.Longs(spec.shape(), new long[elements])
                            : new Tensor.Floats(spec.shape(), new float[elements]));
        }
        return new Parameters(tensors);
    }

    /// What the optimizer changes.
    List<ParameterSpec> trained() {
        return specs.stream().filter(ParameterSpec::trained).toList();
    }

    float[] values(ParameterSpec spec) {
        return model.floats(spec.name(), spec.shape());
    }

    long[] counter(ParameterSpec spec) {
        return model.longs(spec.name(), spec.shape());
    }

    float[] gradient(ParameterSpec parameter) {
        return gradients.floats(parameter.name(), parameter.shape());
    }

    /// What the optimizer keeps of a parameter.
    float[] slot(ParameterSpec parameter, String slot) {
        return optimizer.floats(parameter.name() + "." + slot, parameter.shape());
    }

    /// How many steps the optimizer has made; holds one number. Only for optimizers that count them.
    long[] steps() {
        return optimizer.longs(OptimizerSpec.STEP, Shape.of());
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState state) {
        boolean fresh = state.optimizer().tensors().isEmpty();
        Parameters newOptimizer = fresh ? zeros(optimizerSpecs) : state.optimizer();
        state.model().requireMatch(specs);
        newOptimizer.requireMatch(optimizerSpecs);
        copy(specs, state.model(), model);
        copy(optimizerSpecs, newOptimizer, optimizer);
    }

    SessionState save() {
        SessionState state = new SessionState(zeros(specs), zeros(optimizerSpecs));
        copy(specs, model, state.model());
        copy(optimizerSpecs, optimizer, state.optimizer());
        return state;
    }

    private static void copy(List<ParameterSpec> specs, Parameters from, Parameters to) {
        for (ParameterSpec spec : specs) {
            int elements = spec.shape().elements();
            if (spec.init() instanceof Init.Counter) {
                long[] target = to.longs(spec.name(), spec.shape());
                System.arraycopy(from.longs(spec.name(), spec.shape()), 0, target, 0, elements);
            } else {
                float[] target = to.floats(spec.name(), spec.shape());
                System.arraycopy(from.floats(spec.name(), spec.shape()), 0, target, 0, elements);
            }
        }
    }
}
