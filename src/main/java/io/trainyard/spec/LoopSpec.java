package io.trainyard.spec;

import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/// The settings of a training loop apart from batches and the optimizer.
///
/// @param dropLast whether a shorter last batch of an epoch is dropped
/// @param accumulateSteps number of batches for one step of the optimizer; each batch's gradients are divided by
///     it
/// @param clip null: no gradient clipping
/// @param ema null: the trained weights are tested and saved
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

    /// The largest norm of all gradients together; empty if unlimited.
    public OptionalDouble maxNorm() {
        return clip == null || clip.norm() == null ? OptionalDouble.empty() : OptionalDouble.of(clip.norm());
    }

    /// The largest gradient element; empty if unlimited.
    public OptionalDouble maxValue() {
        return clip == null || clip.value() == null ? OptionalDouble.empty() : OptionalDouble.of(clip.value());
    }

    public Optional<EmaSpec> average() {
        return Optional.ofNullable(ema);
    }

    /// Whether the optimizer uses each batch's gradients unchanged, and nothing follows its step.
    public boolean isPlain() {
        return !accumulates() && clip == null && ema == null;
    }
}
