package io.trainyard.device.host;

import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.UpdateSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The processing of a batch's gradients: *gather* accumulates them if batches share a step; *step* clips them,
/// takes the optimizer's step, and averages the parameters. If gradients are clipped by their total norm, these are
/// two passes, otherwise one.
final class GradientUpdate extends ParameterUpdate {
    /// Clipping before the optimizer's step.
    ///
    /// @param limit of each element
    /// @param factor of all elements
    record Clip(float limit, float factor) {}

    /// The moving average a of a parameter p: keep a + take p.
    ///
    /// @param copies whether it is the first: then a = p
    private record Average(boolean copies, float keep, float take) {
        static Average of(EmaSpec ema, long step) {
            return new Average(step == 1, (float) ema.decay(), (float) (1 - ema.decay()));
        }
    }

    record Step(ParameterUpdate optimizer, long count, Clip clip) {}

    private final boolean gathers;
    private final @Nullable Step step; // null: gathers only
    private final @Nullable Average average; // null: no average
    private final int optimizerSlots;
    private final int accumulated; // the slot; -1: none
    private final int averaged; // the slot; -1: none
    private final float share; // weight of a batch's gradients in the sum
    private final boolean measures; // the squares of gathered gradients
    private double squares; // of one thread's range

    private GradientUpdate(UpdateSpec spec, boolean gathers, @Nullable Step step) {
        this.gathers = gathers;
        this.step = step;
        average = step == null
                ? null
                : spec.loop()
                        .average()
                        .map(ema -> Average.of(ema, step.count()))
                        .orElse(null);
        optimizerSlots = spec.optimizer().slots().size();
        accumulated = spec.accumulated();
        averaged = spec.averaged();
        measures = spec.loop().maxNorm().isPresent();
        share = 1f / spec.loop().accumulateSteps();
    }

    /// For one thread. Sums squares if gradients are clipped by norm.
    static GradientUpdate gather(UpdateSpec spec) {
        return new GradientUpdate(spec, true, null);
    }

    static GradientUpdate step(UpdateSpec spec, Step step) {
        return new GradientUpdate(spec, false, step);
    }

    static GradientUpdate gatherAndStep(UpdateSpec spec, Step step) {
        return new GradientUpdate(spec, true, step);
    }

    /// The sum of the squares of all gathered gradients, for clipping by norm.
    double squares() {
        return squares;
    }

    @Override
    void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        MemorySegment sum = accumulated < 0 ? gradient : state.get(accumulated);
        if (gathers && accumulated >= 0) {
            GradientPasses.accumulate(sum, gradient, share, end);
        }
        if (step == null) {
            squares += measures ? GradientPasses.squares(sum, end) : 0;
            return;
        }
        clip(step.clip(), sum, end);
        step.optimizer().applyWhole(values, sum, state.subList(0, optimizerSlots), end);
        if (average != null) {
            average(average, state.get(averaged), values, end);
        }
        if (accumulated >= 0) {
            sum.asSlice(0, end).fill((byte) 0);
        }
    }

    private static void clip(Clip clip, MemorySegment gradient, long end) {
        if (clip.limit() != Float.POSITIVE_INFINITY) {
            GradientPasses.clamp(gradient, clip.limit(), end);
        }
        if (clip.factor() != 1) {
            GradientPasses.scale(gradient, clip.factor(), end);
        }
    }

    private static void average(Average average, MemorySegment averages, MemorySegment values, long end) {
        if (average.copies()) {
            MemorySegment.copy(values, 0, averages, 0, end);
        } else {
            GradientPasses.average(averages, average.keep(), values, average.take(), end);
        }
    }

    @Override
    void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        float[] sum = accumulated < 0 ? gradient : state.get(accumulated);
        if (gathers && accumulated >= 0) {
            GradientPasses.accumulate(sum, gradient, share, from, to);
        }
        if (step == null) {
            squares += measures ? GradientPasses.squares(sum, from, to) : 0;
            return;
        }
        clip(step.clip(), sum, from, to);
        step.optimizer().applyWhole(values, sum, state.subList(0, optimizerSlots), from, to);
        if (average != null) {
            average(average, state.get(averaged), values, from, to);
        }
        if (accumulated >= 0) {
            Arrays.fill(sum, from, to, 0);
        }
    }

    private static void clip(Clip clip, float[] gradient, int from, int to) {
        if (clip.limit() != Float.POSITIVE_INFINITY) {
            GradientPasses.clamp(gradient, clip.limit(), from, to);
        }
        if (clip.factor() != 1) {
            GradientPasses.scale(gradient, clip.factor(), from, to);
        }
    }

    private static void average(Average average, float[] averages, float[] values, int from, int to) {
        if (average.copies()) {
            System.arraycopy(values, from, averages, from, to - from);
        } else {
            GradientPasses.average(averages, average.keep(), values, average.take(), from, to);
        }
    }
}
