package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Graph;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.cuda.layer.CudaChain;
import io.trainyard.device.cuda.layer.Descriptors;
import io.trainyard.spec.Network;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A batch of the test set in evaluation mode, recorded as a graph.
final class TestProgram {
    private final Compilation c;
    private final CudaLoss loss;
    private final int batchSize;
    private final int classes;
    private final BatchTensor input;
    private final CudaChain chain;
    private @Nullable Graph graph;

    /// Where the results go.
    ///
    /// @param sampleLosses of the whole test set
    /// @param confusion counts of the whole test set by (true class, predicted class)
    /// @param probabilities of the batch at hand, (samples, classes)
    /// @param zero an int that is 0
    record Results(Buffer sampleLosses, Buffer confusion, Buffer probabilities, Buffer zero) {}

    /// @param batchSize of a full test batch
    TestProgram(Network network, int batchSize, CudaLoss loss, Compilation c, Descriptors descriptors) {
        this.c = c;
        this.loss = loss;
        this.batchSize = batchSize;
        this.classes = network.classes();
        this.input = c.output(network.input(), false, "before the first");
        this.chain = CudaChain.of(network.layers(), input, c, descriptors);
    }

    private void run(TestData data, Buffer table, Results results) {
        int samples = c.part().samples();
        c.kernels()
                .launch(
                        data.kernel(),
                        input.elements(),
                        input.value(),
                        data.images(),
                        data.imageOrder(),
                        table,
                        null,
                        c.step(),
                        batchSize,
                        0,
                        samples,
                        input.channels(),
                        input.rows(),
                        input.columns(),
                        1,
                        c.numbers().channelsLastFlag());
        chain.forward();
        Buffer logits = chain.out().value();
        c.kernels()
                .launch(
                        "test_batch",
                        TrainingProgram.THREADS_OF_ROW * samples,
                        results.sampleLosses(),
                        results.confusion(),
                        logits,
                        data.labels(),
                        c.step(),
                        loss.classWeights(),
                        loss.smoothing(),
                        batchSize,
                        samples,
                        classes);
        c.kernels()
                .launch(
                        "probabilities",
                        TrainingProgram.THREADS_OF_ROW * samples,
                        results.probabilities(),
                        logits,
                        results.zero(),
                        batchSize,
                        samples,
                        classes);
        c.kernels().launchBlocks("next_step", 1, c.step());
    }

    /// Runs the batch and records it.
    void record(TestData data, Buffer table, Results results) {
        run(data, table, results);
        graph = c.gpu().capture(() -> run(data, table, results));
    }

    /// Enqueues the batch.
    void launch() {
        Objects.requireNonNull(graph).launch();
    }
}
