package io.trainyard.device.host;

import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.UpdateSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a loop does with a batch's gradients. It gathers them: accumulates them where batches share a step. It steps:
/// clips them, has the optimizer take its step, averages what that has made. Where gradients are clipped by
/// the norm of all of them the two are passes of their own, else one.
final class LoopUpdate extends ParameterUpdate {
    /// How a step changes gradients before the optimizer takes them.
    ///
    /// @param limit of each number
    /// @param factor of all
    record Clip(float limit, float factor) {}

    /// How the average of a parameter a follows it: keep a + take p.
    ///
    /// @param copies whether it is the first: then a = p
    private record Average(boolean copies, float keep, float take) {
        static Average of(EmaSpec ema, long step) {
            return new Average(step == 1, (float) ema.decay(), (float) (1 - ema.decay()));
        }
    }

    /// @param count how many steps the optimizer has made with this one: 1 for the first
    record Step(ParameterUpdate optimizer, long count, Clip clip) {}

    private final boolean gathers;
    private final @Nullable Step step; // null: this is none
    private final @Nullable Average average; // null: there is none
    private final int optimizerSlots;
    private final int accumulated; // the slot; -1: none
    private final int averaged; // the slot; -1: none
    private final float share; // of a batch's gradients in what is accumulated
    private final boolean measures; // what it gathers
    private double squares; // of one thread's range

    private LoopUpdate(UpdateSpec spec, boolean gathers, @Nullable Step step) {
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

    /// For one thread: it adds up squares where gradients are clipped by norm.
    static LoopUpdate gather(UpdateSpec spec) {
        return new LoopUpdate(spec, true, null);
    }

    static LoopUpdate step(UpdateSpec spec, Step step) {
        return new LoopUpdate(spec, false, step);
    }

    static LoopUpdate gatherAndStep(UpdateSpec spec, Step step) {
        return new LoopUpdate(spec, true, step);
    }

    /// The sum of the squares of all gradients that it has gathered: what is clipped by norm asks for it.
    double squares() {
        return squares;
    }

    @Override
    void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        MemorySegment sum = accumulated < 0 ? gradient : state.get(accumulated);
        if (gathers && accumulated >= 0) {
            LoopPasses.accumulate(sum, gradient, share, end);
        }
        if (step == null) {
            squares += measures ? LoopPasses.squares(sum, end) : 0;
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
            LoopPasses.clamp(gradient, clip.limit(), end);
        }
        if (clip.factor() != 1) {
            LoopPasses.scale(gradient, clip.factor(), end);
        }
    }

    private static void average(Average average, MemorySegment averages, MemorySegment values, long end) {
        if (average.copies()) {
            MemorySegment.copy(values, 0, averages, 0, end);
        } else {
            LoopPasses.average(averages, average.keep(), values, average.take(), end);
        }
    }

    @Override
    void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        float[] sum = accumulated < 0 ? gradient : state.get(accumulated);
        if (gathers && accumulated >= 0) {
            LoopPasses.accumulate(sum, gradient, share, from, to);
        }
        if (step == null) {
            squares += measures ? LoopPasses.squares(sum, from, to) : 0;
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
            LoopPasses.clamp(gradient, clip.limit(), from, to);
        }
        if (clip.factor() != 1) {
            LoopPasses.scale(gradient, clip.factor(), from, to);
        }
    }

    private static void average(Average average, float[] averages, float[] values, int from, int to) {
        if (average.copies()) {
            System.arraycopy(values, from, averages, from, to - from);
        } else {
            LoopPasses.average(averages, average.keep(), values, average.take(), from, to);
        }
    }
}
