package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.layer.Masks;
import io.trainyard.device.cuda.layer.Numbers;
import io.trainyard.device.session.UpdateRule;

/// The steps of a small network by `step.cu`: many of them in one launch, nothing of them recorded.
final class StepKernel {
    /// Steps of a launch, at most: some milliseconds, beside which a launch is nothing, and a GPU that also has a
    /// display can show something in between.
    static final int MOST_STEPS = 256;

    /// Of a block, as `step.cu` has it.
    private static final int THREADS = 512;

    private final Kernels kernels;
    private final StepKernelRule rule;
    private final StepPlan plan;
    private final UpdateKernel update;
    private final Buffer scratch;

    /// @param workload that the rule takes
    /// @param arena reserves what passes between the layers
    StepKernel(Workload workload, StepKernelRule rule, Gpu gpu, Arena arena) {
        this.rule = rule;
        kernels = new Kernels(
                gpu, KernelSource.ofSteps(), Numbers.of(workload.precision()).options());
        plan = new StepPlan(workload);
        update = UpdateKernel.of(UpdateRule.of(workload.optimizer(), 0, 1));
        scratch = arena.reserve(plan.scratchBytes(), "what passes between layers");
    }

    /// What the kernel reads and writes besides its scratch memory.
    ///
    /// @param scalars [StepScalars]
    /// @param losses one for each step of the epoch
    record Memory(CudaModel model, TrainingData data, Masks masks, CudaLoss loss, Buffer scalars, Buffer losses) {}

    /// Enqueues the steps `first` to `first + steps`, without it, of the epoch.
    ///
    /// @param steps at most [#MOST_STEPS]; with 0 the kernel does nothing
    void launch(Memory memory, int first, int steps) {
        TrainingData data = memory.data();
        UpdateKernel.Slots slots = update.slots(memory.model().slots());
        kernels.launchThreads(
                rule.blocks() == 1 ? "train_steps" : "train_steps_in_cluster",
                rule.blocks(),
                THREADS,
                plan.numbers(
                        memory.model()::place, layer -> (int) memory.masks().offset(layer, 1), data.window()),
                scratch,
                memory.model().values(),
                slots.first(),
                slots.second(),
                slots.third(),
                memory.scalars(),
                data.images(),
                data.table(),
                data.imageOrder(),
                data.order(),
                data.changes(),
                memory.masks().buffer(),
                data.targets(),
                data.batchWeights(),
                memory.loss().classWeights(),
                memory.losses(),
                first,
                steps);
    }
}
