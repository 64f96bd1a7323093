package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Graph;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.cuda.layer.CudaChain;
import io.trainyard.spec.Network;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A test batch in evaluation mode, recorded as a graph.
final class TestProgram {
    private final Compilation c;
    private final CudaLoss loss;
    private final int batchSize;
    private final BatchTensor input;
    private final CudaChain chain;
    private @Nullable Graph graph;

    TestProgram(Network network, int batchSize, CudaLoss loss, Compilation c) {
        this.c = c;
        this.loss = loss;
        this.batchSize = batchSize;
        this.input = c.output(network.input(), false, "before the first");
        this.chain = CudaChain.of(network.layers(), input, c);
    }

    private void run(TestData data, Buffer table, Buffer predictions) {
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
        loss.test(c, chain.out(), data, batchSize);
        loss.predict(c, chain.out(), predictions);
        c.kernels().launchBlocks("next_step", 1, c.step());
    }

    /// Runs the batch and records it.
    ///
    /// @param predictions of the current batch, (samples, outputs)
    void record(TestData data, Buffer table, Buffer predictions) {
        run(data, table, predictions);
        graph = c.gpu().capture(() -> run(data, table, predictions));
    }

    void launch() {
        Objects.requireNonNull(graph).launch();
    }
}
