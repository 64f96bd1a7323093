package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Graph;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.cuda.layer.CudaChain;
import io.trainyard.device.cuda.layer.Descriptors;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A training step for a batch of one size, recorded: gather, forward, loss, backward; then the update, and on to
/// the next step, whose number is on the device. As one graph, or, where other devices' gradients are added between
/// the two halves, as two.
final class TrainingProgram {
    /// The kernels that read logits take so many threads for each sample.
    static final long THREADS_OF_ROW = 32;

    private final Compilation c;
    private final CudaLoss loss;
    private final CudaModel model;
    private final int batchSize; // of a full batch
    private final int classes;
    private final BatchTensor input;
    private final CudaChain chain;
    private final Buffer sampleLosses;
    private final List<Graph> graphs = new ArrayList<>();

    TrainingProgram(Workload workload, CudaLoss loss, CudaModel model, Compilation c, Descriptors descriptors) {
        Network network = workload.network();
        this.c = c;
        this.loss = loss;
        this.model = model;
        this.batchSize = workload.batchSize();
        this.classes = network.classes();
        this.input = c.output(network.input(), false, "before the first");
        this.chain = CudaChain.of(isEmpty() ? List.of() : network.layers(), input, c, descriptors);
        this.sampleLosses = c.arena().reserve((long) c.part().samples() * Float.BYTES, "the samples' losses");
    }

    /// A short last batch may have fewer samples than there are devices.
    private boolean isEmpty() {
        return c.part().samples() == 0;
    }

    private void computeGradients(TrainingData data) {
        if (isEmpty()) {
            model.gradients().clear();
            return;
        }
        gather(data);
        chain.forward();
        BatchTensor logits = chain.out();
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
                        data.batchWeights(),
                        loss.classWeights(),
                        loss.smoothing(),
                        loss.sumOfWeights(),
                        batchSize,
                        c.part().first(),
                        c.part().samples(),
                        classes);
        chain.backward();
    }

    private void gather(TrainingData data) {
        c.kernels()
                .launch(
                        data.kernel(),
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

    private void finish(TrainingData data, CudaUpdate update, Buffer losses) {
        update.run(c);
        c.kernels()
                .launchBlocks(
                        "end_step",
                        1,
                        losses,
                        c.step(),
                        sampleLosses,
                        data.batchWeights(),
                        c.part().samples());
    }

    /// Runs the step and records it.
    ///
    /// @param losses one for each step of the epoch
    /// @param inTwo whether the update is a graph of its own
    void record(TrainingData data, CudaUpdate update, Buffer losses, boolean inTwo) {
        computeGradients(data);
        finish(data, update, losses);
        if (inTwo) {
            graphs.add(c.gpu().capture(() -> computeGradients(data)));
            graphs.add(c.gpu().capture(() -> finish(data, update, losses)));
        } else {
            graphs.add(c.gpu().capture(() -> {
                computeGradients(data);
                finish(data, update, losses);
            }));
        }
    }

    /// Enqueues the step, or its gradients where the update is apart.
    void launch() {
        graphs.getFirst().launch();
    }

    /// Enqueues the update that is apart.
    void launchUpdate() {
        graphs.get(1).launch();
    }
}
