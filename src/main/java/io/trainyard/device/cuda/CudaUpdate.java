package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.session.UpdateRule;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.UpdateSpec;
import org.jspecify.annotations.Nullable;

/// The processing of a batch's gradients: accumulation over batches that share an optimizer step, clipping, the
/// optimizer's kernel, and averaging; each over all parameters that this device updates.
///
/// @param scalars [StepScalars], for each step of the epoch
/// @param exchange determines the range of the model's parameters
/// @param norm buffers for clipping by norm; null: no such clipping
record CudaUpdate(
        UpdateSpec spec,
        Buffer scalars,
        CudaModel model,
        GpuExchange exchange,
        @Nullable Norm norm) {
    record Norm(Buffer squares, Buffer factor) {
        private static final int BLOCKS = 256;

        static @Nullable Norm of(UpdateSpec spec, Arena arena) {
            return spec.loop().maxNorm().isEmpty()
                    ? null // not clipped by norm
                    : new Norm(
                            arena.reserve((long) BLOCKS * Double.BYTES, "the gradients' squares"),
                            arena.reserve(Float.BYTES, "the gradients' factor"));
        }
    }

    void run(Compilation c, boolean steps) {
        Buffer gradients = exchange.ownRange(model.gradients());
        long floats = gradients.bytes() / Float.BYTES;
        if (spec.loop().accumulates()) {
            Buffer sum = exchange.ownRange(model.slots().get(spec.accumulated()));
            float share = 1f / spec.loop().accumulateSteps();
            c.kernels().launch("accumulate_gradient", floats, sum, gradients, floats, share);
            if (steps) {
                step(c, sum, floats);
                sum.clear();
            }
        } else {
            step(c, gradients, floats);
        }
    }

    private void step(Compilation c, Buffer gradients, long floats) {
        clip(c, gradients, floats);
        Buffer values = exchange.ownRange(model.values());
        for (int group = 0; group < spec.optimizer().groupCount(); group++) {
            step(c, group, values, gradients);
        }
        spec.loop().average().ifPresent(ema -> average(c, ema, values));
    }

    private void step(Compilation c, int group, Buffer values, Buffer gradients) {
        GpuExchange.GroupRange range = exchange.ownRange(group);
        if (range.end() <= range.begin()) {
            return;
        }
        int slots = spec.optimizer().slots().size();
        long ofGroup = scalars.bytes() / spec.optimizer().groupCount();
        UpdateKernel.Operands operands = new UpdateKernel.Operands(
                range.of(values),
                range.of(gradients),
                model.slots().subList(0, slots).stream()
                        .map(slot -> range.of(exchange.ownRange(slot)))
                        .toList(),
                scalars.slice(group * ofGroup, ofGroup, "a group of " + scalars),
                c.step());
        UpdateRule ofAnyStep = UpdateRule.of(spec.optimizer().ofGroup(group), 0, 1); // constants of all steps
        UpdateKernel kernel = UpdateKernel.of(ofAnyStep);
        c.kernels().launch(kernel.name(), operands.floats(), kernel.arguments(operands));
    }

    private void clip(Compilation c, Buffer gradients, long floats) {
        spec.loop()
                .maxValue()
                .ifPresent(limit -> c.kernels().launch("clamp_gradient", floats, gradients, floats, (float) limit));
        if (norm != null) {
            float most = (float) spec.loop().maxNorm().orElseThrow();
            c.kernels().launchBlocks("square_gradient", Norm.BLOCKS, norm.squares(), gradients, floats);
            c.kernels().launchBlocks("gradient_factor", 1, norm.factor(), norm.squares(), Norm.BLOCKS, most);
            c.kernels().launch("scale_gradient", floats, gradients, floats, norm.factor());
        }
    }

    private void average(Compilation c, EmaSpec ema, Buffer values) {
        Buffer averages = exchange.ownRange(model.slots().get(spec.averaged()));
        long floats = values.bytes() / Float.BYTES;
        float keep = (float) ema.decay();
        float take = (float) (1 - ema.decay());
        c.kernels().launch("average", floats, averages, values, floats, scalars, c.step(), keep, take);
    }
}
