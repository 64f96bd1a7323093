package io.trainyard.device;

import java.util.Optional;
import java.util.stream.Stream;

/// All state of a session that carries over between steps.
///
/// @param model parameters and buffers under their `state_dict()` names
/// @param optimizer the optimizer's state under `<parameter>.<slot>`, such as `conv1.weight.momentum_buffer`; empty
///     for an optimizer without state, and accepted empty by any optimizer, which then starts from zero
public record SessionState(Parameters model, Parameters optimizer) {
    /// The first tensor with a NaN or infinite value, from which training cannot continue.
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
