package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// How large gradients may be when the optimizer takes its step: larger ones are made smaller. One of the
/// two.
///
/// @param norm of all gradients together, as `torch.nn.utils.clip_grad_norm_` with the 2-norm
/// @param value of each number in them, as `torch.nn.utils.clip_grad_value_`
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
