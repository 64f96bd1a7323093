package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// Gradient clipping before the optimizer's step, by exactly one of the two limits.
///
/// @param norm of all gradients together, as `torch.nn.utils.clip_grad_norm_` with the 2-norm
/// @param value of each element, as `torch.nn.utils.clip_grad_value_`
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClipSpec(@Nullable Double norm, @Nullable Double value) {
    private static final double MAX = 1e6;

    public ClipSpec {
        if ((norm == null) == (value == null)) {
            throw new InvalidJobException("clipGradients has %s; give it one of norm and value, or leave it out"
                    .formatted(norm == null ? "neither norm nor value" : "norm and value"));
        }
        if (norm != null) {
            Check.above0UpTo("clipGradients.norm", norm, MAX);
        }
        if (value != null) {
            Check.above0UpTo("clipGradients.value", value, MAX);
        }
    }
}
