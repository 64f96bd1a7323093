package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Graph;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.cuda.layer.CudaChain;
import io.trainyard.spec.Network;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A recorded training step for one batch size: gather, forward, loss, backward; then the update, and the increment
/// of the step's number on the device. It is one graph, or two if other devices' gradients are added in between;
/// the first of the two is in pieces if devices exchange the sums of batch norms. If batches share an optimizer
/// step, there is one variant with it and one without. Several full batches may also be one graph.
final class TrainingProgram {
    private final Compilation c;
    private final CudaLoss loss;
    private final CudaModel model;
    private final int batchSize; // of a full batch
    private final BatchTensor input;
    private final CudaChain chain;
    private final Buffer sampleLosses;
    private @Nullable Runnable gradients; // enqueues them; null: they are part of the update's graph
    private final Map<Boolean, Graph> graphs = new HashMap<>(); // by whether the optimizer takes its step
    private @Nullable Graph several;

    TrainingProgram(Workload workload, CudaLoss loss, CudaModel model, Compilation c) {
        Network network = workload.network();
        this.c = c;
        this.loss = loss;
        this.model = model;
        this.batchSize = workload.batchSize();
        this.input = c.output(network.input(), false, "before the first");
        this.chain = isEmpty() ? CudaChain.withoutSamples(network, input, c) : CudaChain.of(network.layers(), input, c);
        this.sampleLosses = c.arena().reserve((long) c.part().samples() * Float.BYTES, "the samples' losses");
    }

    /// A short last batch may have fewer samples than there are devices.
    private boolean isEmpty() {
        return c.part().samples() == 0;
    }

    private void computeGradients(TrainingData data) {
        if (isEmpty()) {
            model.gradients().clear();
            chain.forward();
            return;
        }
        gather(data);
        chain.forward();
        loss.differentiate(c, chain.out(), data, sampleLosses, batchSize);
        chain.backward();
        c.gpu().join();
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

    /// @param steps whether the optimizer takes its step
    private void finish(TrainingData data, CudaUpdate update, Buffer losses, boolean steps) {
        update.run(c, steps);
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
    /// @param inTwo whether the update is a separate graph
    void record(TrainingData data, CudaUpdate update, Buffer losses, boolean inTwo) {
        computeGradients(data);
        finish(data, update, losses, true);
        if (inTwo) {
            gradients = c.norms().record(c.part().batchSamples(), () -> computeGradients(data));
        }
        for (boolean steps : update.spec().loop().accumulates() ? new boolean[] {true, false} : new boolean[] {true}) {
            graphs.put(steps, c.gpu().capture(() -> {
                if (!inTwo) {
                    computeGradients(data);
                }
                finish(data, update, losses, steps);
            }));
        }
    }

    /// Records several steps as one graph. They must be whole groups of batches that share an optimizer step.
    void recordSeveral(int count, TrainingData data, CudaUpdate update, Buffer losses) {
        int group = update.spec().loop().accumulateSteps();
        several = c.gpu().capture(() -> {
            for (int i = 1; i <= count; i++) {
                computeGradients(data);
                finish(data, update, losses, i % group == 0);
            }
        });
    }

    int nodes() {
        return graph(true).nodes();
    }

    void launchSeveral() {
        Objects.requireNonNull(several).launch();
    }

    /// Enqueues the step, or only its gradients if the update is separate.
    ///
    /// @param steps whether the optimizer takes its step
    void launch(boolean steps) {
        if (gradients != null) {
            gradients.run();
        } else {
            graph(steps).launch();
        }
    }

    void launchUpdate(boolean steps) {
        graph(steps).launch();
    }

    private Graph graph(boolean steps) {
        return Objects.requireNonNull(graphs.get(steps));
    }
}
