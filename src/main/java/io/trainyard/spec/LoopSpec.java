package io.trainyard.spec;

import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/// What a training loop does besides batches, gradients and the optimizer's steps.
///
/// @param dropLast whether an epoch's last batch is left out where it would be shorter
/// @param accumulateSteps how many batches' gradients, each divided by it, make one step of the optimizer
/// @param clip null: gradients are as large as they are
/// @param ema null: the weights are tested and saved as they are trained
public record LoopSpec(
        boolean dropLast,
        int accumulateSteps,
        @Nullable ClipSpec clip,
        @Nullable EmaSpec ema) {
    public static final LoopSpec NONE = new LoopSpec(false, 1, null, null);

    public LoopSpec {
        Check.between("accumulateSteps", accumulateSteps, 1, 10_000);
    }

    public boolean accumulates() {
        return accumulateSteps > 1;
    }

    /// The largest norm of all gradients together; empty where it does not matter.
    public OptionalDouble maxNorm() {
        return clip == null || clip.norm() == null ? OptionalDouble.empty() : OptionalDouble.of(clip.norm());
    }

    /// The largest number in a gradient; empty where it does not matter.
    public OptionalDouble maxValue() {
        return clip == null || clip.value() == null ? OptionalDouble.empty() : OptionalDouble.of(clip.value());
    }

    public Optional<EmaSpec> average() {
        return Optional.ofNullable(ema);
    }

    /// Whether the optimizer takes each batch's gradients as they are, and nothing follows its step.
    public boolean isPlain() {
        return !accumulates() && clip == null && ema == null;
    }
}
