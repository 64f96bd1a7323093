package io.trainyard.device.reference;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.ParameterSpec.Init;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The values that live from step to step, by their full names: parameters and buffers, the parameters' gradients of
/// the present step, and the optimizer's momentum buffers.
final class ReferenceState {
    private static final String MOMENTUM_BUFFER = ".momentum_buffer";

    private final List<ParameterSpec> specs;
    private final List<ParameterSpec> optimizerSpecs;
    private final Map<String, Tensor> model;
    private final Map<String, Tensor> optimizer;
    private final Map<String, float[]> gradients = new LinkedHashMap<>();

    ReferenceState(List<ParameterSpec> specs, OptimizerSpec optimizerSpec) {
        this.specs = specs;
        this.optimizerSpecs = momentumBuffers(specs, optimizerSpec);
        this.model = zeros(specs);
        this.optimizer = zeros(optimizerSpecs);
        trained().forEach(spec -> gradients.put(spec.name(), new float[spec.shape().elements()]));
    }

    private static List<ParameterSpec> momentumBuffers(List<ParameterSpec> specs, OptimizerSpec optimizer) {
        return switch (optimizer) {
            case OptimizerSpec.Sgd sgd when sgd.momentum() == 0 -> List.of();
            case OptimizerSpec.Sgd sgd ->
                specs.stream()
                        .filter(ParameterSpec::trained)
                        .map(p -> new ParameterSpec(
                                p.name() + MOMENTUM_BUFFER, p.shape(), new Init.Constant(0), false))
                        .toList();
        };
    }

    private static Map<String, Tensor> zeros(List<ParameterSpec> specs) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (ParameterSpec spec : specs) {
            int elements = spec.shape().elements();
            tensors.put(
                    spec.name(),
                    spec.init() instanceof Init.Counter
                            ? new Tensor.Longs(spec.shape(), new long[elements])
                            : new Tensor.Floats(spec.shape(), new float[elements]));
        }
        return tensors;
    }

    /// The parameters: what the optimizer changes.
    List<ParameterSpec> trained() {
        return specs.stream().filter(ParameterSpec::trained).toList();
    }

    float[] values(ParameterSpec spec) {
        return ((Tensor.Floats) model.get(spec.name())).values();
    }

    long[] counter(ParameterSpec spec) {
        return ((Tensor.Longs) model.get(spec.name())).values();
    }

    float[] gradient(ParameterSpec spec) {
        return gradients.get(spec.name());
    }

    float[] momentum(ParameterSpec spec) {
        return ((Tensor.Floats) optimizer.get(spec.name() + MOMENTUM_BUFFER)).values();
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; then nothing has changed
    void load(SessionState state) {
        Parameters newOptimizer = state.optimizer().tensors().isEmpty()
                ? new Parameters(zeros(optimizerSpecs))
                : state.optimizer();
        state.model().requireMatch(specs);
        newOptimizer.requireMatch(optimizerSpecs);
        copy(state.model().tensors(), model);
        copy(newOptimizer.tensors(), optimizer);
    }

    SessionState save() {
        Map<String, Tensor> savedModel = zeros(specs);
        Map<String, Tensor> savedOptimizer = zeros(optimizerSpecs);
        copy(model, savedModel);
        copy(optimizer, savedOptimizer);
        return new SessionState(new Parameters(savedModel), new Parameters(savedOptimizer));
    }

    private static void copy(Map<String, Tensor> from, Map<String, Tensor> to) {
        from.forEach((name, tensor) -> {
            switch (tensor) {
                case Tensor.Floats floats -> {
                    float[] values = floats.values();
                    System.arraycopy(values, 0, ((Tensor.Floats) to.get(name)).values(), 0, values.length);
                }
                case Tensor.Longs longs -> {
                    long[] values = longs.values();
                    System.arraycopy(values, 0, ((Tensor.Longs) to.get(name)).values(), 0, values.length);
                }
            }
        });
    }
}
