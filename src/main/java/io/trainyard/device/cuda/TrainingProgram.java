package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Graph;
import io.trainyard.spec.Network;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A training step for a batch of one size, recorded as a graph: gather, forward, loss, backward, update, and on to
/// the next step, whose number is on the device.
final class TrainingProgram {
    /// The kernels that read logits take so many threads for each sample.
    static final long THREADS_OF_ROW = 32;

    private final Compilation c;
    private final int batchSize;
    private final int classes;
    private final Activation input;
    private final CudaChain chain;
    private final Buffer sampleLosses;
    private @Nullable Graph graph;

    /// @param batchSize of a full batch
    TrainingProgram(Network network, int batchSize, Compilation c, Descriptors descriptors) {
        this.c = c;
        this.batchSize = batchSize;
        this.classes = network.classes();
        this.input = c.output(network.input(), false, "before the first");
        this.chain = CudaChain.of(network.layers(), input, c, descriptors);
        this.sampleLosses = c.arena().reserve((long) c.part().samples() * Float.BYTES, "the samples' losses");
    }

    /// Enqueues a step.
    ///
    /// @param losses one for each step of the epoch
    void run(TrainingData data, CudaUpdate update, Buffer losses) {
        gather(data);
        chain.forward();
        Activation logits = chain.out();
        c.kernels()
                .launch(
                        "cross_entropy",
                        THREADS_OF_ROW * c.part().samples(),
                        Objects.requireNonNullElse(logits.gradient(), logits.value()),
                        sampleLosses,
                        logits.value(),
                        data.labels(),
                        data.order(),
                        c.step(),
                        batchSize,
                        c.part().first(),
                        c.part().samples(),
                        c.part().batchSamples(),
                        classes);
        chain.backward();
        update.run(c);
        c.kernels()
                .launchBlocks(
                        "end_step",
                        1,
                        losses,
                        c.step(),
                        sampleLosses,
                        c.part().samples(),
                        c.part().batchSamples());
    }

    private void gather(TrainingData data) {
        c.kernels()
                .launch(
                        "gather_batch",
                        input.elements(),
                        input.value(),
                        data.images(),
                        data.imageOrder(),
                        data.table(),
                        data.changes(),
                        c.step(),
                        batchSize,
                        c.part().first(),
                        c.part().samples(),
                        input.channels(),
                        input.rows(),
                        input.columns(),
                        data.window(),
                        c.numbers().channelsLastFlag());
    }

    /// Records the step; it has run once before, because a library's first call may allocate.
    void record(TrainingData data, CudaUpdate update, Buffer losses) {
        graph = c.gpu().capture(() -> run(data, update, losses));
    }

    void launch() {
        Objects.requireNonNull(graph).launch();
    }
}
