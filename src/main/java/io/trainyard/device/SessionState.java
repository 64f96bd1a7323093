package io.trainyard.device;

import java.util.Optional;
import java.util.stream.Stream;

/// Everything a session carries from step to step.
///
/// @param model parameters and buffers under their `state_dict()` names
/// @param optimizer the optimizer's state under `<parameter>.<slot>`, such as `conv1.weight.momentum_buffer`; empty
///     for an optimizer without state, and acceptable empty by any: then it starts from zero
public record SessionState(Parameters model, Parameters optimizer) {
    /// The first tensor that has a value which is NaN or infinite: nothing can be trained on from it.
    public Optional<String> firstNotFinite() {
        return Stream.of(model, optimizer)
                .flatMap(part -> part.tensors().entrySet().stream())
                .filter(entry -> entry.getValue() instanceof Tensor.Floats floats && !isFinite(floats.values()))
                .map(entry -> entry.getKey())
                .findFirst();
    }

    private static boolean isFinite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                return false;
            }
        }
        return true;
    }
}
