package io.trainyard.device.cuda;

import io.trainyard.data.Samples;
import io.trainyard.device.Workload;
import io.trainyard.device.session.UpdateRule;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Windows;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A workload as `step.cu` reads it: the numbers of its struct `Plan`, and where in scratch memory everything has its
/// place.
final class StepPlan {
    /// Numbers of the workload, before those of its stages.
    private static final int NUMBERS = 19;

    private static final int NUMBERS_OF_STAGE = 19;

    /// Of the optimizer, at most.
    private static final int OPTIMIZER_NUMBERS = 6;

    /// Floats: where a tensor begins is a multiple of it.
    private static final int ALIGNMENT = 32;

    private static final int NONE = -1;

    private final Workload workload;
    private final List<StepStage> stages;
    private final int firstTrained;
    private final int[] values; // where each stage's begin
    private final int[] gradients;
    private final int[] chosen;
    private final int sampleLosses;
    private int floats; // of scratch memory so far

    /// @param workload whose network has stages
    StepPlan(Workload workload) {
        this.workload = workload;
        stages = StepStage.of(workload.network()).orElseThrow();
        firstTrained = IntStream.range(0, stages.size())
                .filter(s -> !stages.get(s).parameters().isEmpty())
                .findFirst()
                .orElseThrow();
        int batch = workload.batchSize();
        values = IntStream.range(0, stages.size())
                .map(s ->
                        place(s == 0 ? 2 * batch : batch, stages.get(s).out().elements())) // the next is gathered early
                .toArray();
        gradients = IntStream.range(0, stages.size())
                .map(s -> s < firstTrained
                        ? NONE
                        : place(batch, stages.get(s).out().elements()))
                .toArray();
        chosen = IntStream.range(0, stages.size())
                .map(s -> stages.get(s).kind() == StepStage.Kind.MAX_POOL
                        ? place(batch, stages.get(s).out().elements())
                        : NONE)
                .toArray();
        sampleLosses = place(batch, 1);
    }

    private int place(int samples, int elements) {
        int begin = floats;
        floats = Math.addExact(begin, Math.ceilDiv(Math.multiplyExact(samples, elements), ALIGNMENT) * ALIGNMENT);
        return begin;
    }

    /// Of the scratch memory, all floats.
    long scratchBytes() {
        return (long) floats * Float.BYTES;
    }

    /// How often the kernel's threads meet in a step: behind each layer, the loss, each gradient of a layer's input,
    /// and the last update with the gathering of the next batch.
    int meetings() {
        int layers = stages.size() - 1;
        return layers + 1 + (layers - firstTrained) + 1;
    }

    /// The struct.
    ///
    /// @param places where a parameter begins among all, in floats
    /// @param masks where a layer's mask begins among those of one sample
    /// @param window how many steps' changes and masks are on the device at a time
    int[] numbers(ToIntFunction<ParameterSpec> places, ToIntFunction<Network.Layer> masks, int window) {
        Writer plan = new Writer(new int[NUMBERS + StepStage.MOST_STAGES * NUMBERS_OF_STAGE]);
        plan.put(stages.size(), firstTrained, workload.batchSize());
        plan.put(workload.dataset().train().size(), window, (int)
                workload.network().maskElements());
        plan.put(workload.dataset().train().samples() instanceof Samples.Pixels ? 1 : 0);
        plan.put(sampleLosses, workload.batchSize() * stages.getFirst().out().elements());
        writeLoss(plan);
        writeOptimizer(plan);
        for (int s = 0; s < stages.size(); s++) {
            StepStage stage = stages.get(s);
            plan.put(stage.kind().ordinal(), stage.activation().ordinal());
            plan.put(stage.channels(), stage.rows(), stage.columns());
            writeWindows(plan, stage.windows());
            for (int parameter = 0; parameter < 2; parameter++) {
                boolean has = parameter < stage.parameters().size();
                plan.put(has ? places.applyAsInt(stage.parameters().get(parameter)) : NONE);
            }
            plan.put(values[s], gradients[s], chosen[s]);
            writeDropout(plan, stage.dropout(), masks);
        }
        return plan.numbers;
    }

    private void writeLoss(Writer plan) {
        switch (workload.loss()) {
            case LossSpec.CrossEntropy loss -> {
                double sum = 0;
                for (float weight : loss.weights(workload.network().classes())) {
                    sum += weight;
                }
                plan.put(0);
                plan.put((float) loss.labelSmoothing(), (float) sum);
            }
            case LossSpec.MeanSquaredError _ -> {
                plan.put(1);
                plan.put(0f, 0f);
            }
        }
    }

    private void writeOptimizer(Writer plan) {
        UpdateRule ofAnyStep = UpdateRule.of(workload.optimizer(), 0, 1); // only what is the same in each step is read
        UpdateKernel kernel = UpdateKernel.of(ofAnyStep);
        float[] constant = kernel.constant();
        plan.put(kernel.number());
        for (int i = 0; i < OPTIMIZER_NUMBERS; i++) {
            plan.put(i < constant.length ? constant[i] : 0f);
        }
    }

    private static void writeWindows(Writer plan, @Nullable Windows windows) {
        if (windows == null) {
            plan.put(0, 0, 0, 0, 0, 0);
        } else {
            Windows.Side rows = windows.rows();
            Windows.Side columns = windows.columns();
            plan.put(rows.taps(), columns.taps(), rows.stride(), columns.stride(), rows.before(), columns.before());
        }
    }

    private static void writeDropout(Writer plan, Network.@Nullable Layer dropout, ToIntFunction<Network.Layer> masks) {
        if (dropout == null) {
            plan.put(NONE, 0);
            plan.put(1f);
        } else {
            MaskSpec mask = dropout.mask().orElseThrow();
            plan.put(masks.applyAsInt(dropout), mask.elements() < dropout.in().elements() ? 1 : 0);
            plan.put(1f / (float) (1.0 - mask.p())); // rounded as PyTorch's mask is
        }
    }

    /// Fills the struct from its beginning.
    private static final class Writer {
        private final int[] numbers;
        private int written;

        Writer(int[] numbers) {
            this.numbers = numbers;
        }

        void put(int... next) {
            for (int number : next) {
                numbers[written++] = number;
            }
        }

        void put(float... next) {
            for (float number : next) {
                numbers[written++] = Float.floatToRawIntBits(number);
            }
        }
    }
}
