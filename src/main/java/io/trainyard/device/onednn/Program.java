package io.trainyard.device.onednn;

import io.trainyard.device.Workload;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;

/// A network compiled for one batch size. A step: prepare, fill the input, run forward, write the loss's gradient,
/// run backward; the parameters' gradients are then in the [ModelState].
///
/// @param batchSize samples
/// @param input (batch, channels, rows, columns), row-major, float32
/// @param logits (batch, classes), row-major, float32
/// @param logitsGradient like the logits; in evaluation programs the logits themselves
/// @param preparations copies of parameters into this program's layouts, if they differ from those of the first
/// @param backward empty in evaluation programs
record Program(
        int batchSize,
        Memory input,
        Memory logits,
        Memory logitsGradient,
        List<Operation> preparations,
        List<Operation> forward,
        List<Operation> backward) {
    /// @param training true for a program with a backward pass
    /// @param masks source of the dropout masks at run time
    /// @param norms the shard's views of the batch norms
    static Program compile(
            Workload workload,
            int batchSize,
            boolean training,
            Engine engine,
            ModelState state,
            ShardMasks masks,
            ShardBatchNorms norms) {
        Network network = workload.network();
        ValueType between = ValueType.of(workload.precision());
        ProgramBuilder forward = new ProgramBuilder(engine, state, training, masks, norms);
        Memory input = engine.memory(engine.plain(sizes(network, batchSize)));
        Chain layers = new Chain(forward, network.layers(), forward.as(between, input));
        Memory values = layers.output();
        Memory logits = forward.in(engine.plain(values.layout().sizes()), values);
        if (!training) {
            return new Program(
                    batchSize, input, logits, logits, forward.preparations(), forward.operations(), List.of());
        }
        ProgramBuilder backward = new ProgramBuilder(engine, state, true, masks, norms);
        Memory logitsGradient = engine.memory(logits.layout());
        layers.addParameterGradients(backward, backward.as(between, logitsGradient));
        List<Operation> preparations = new ArrayList<>(forward.preparations());
        preparations.addAll(backward.preparations());
        return new Program(
                batchSize, input, logits, logitsGradient, preparations, forward.operations(), backward.operations());
    }

    private static long[] sizes(Network network, int batchSize) {
        long[] sizes = new long[1 + network.input().rank()];
        sizes[0] = batchSize;
        for (int i = 1; i < sizes.length; i++) {
            sizes[i] = network.input().size(i - 1);
        }
        return sizes;
    }

    /// Call it after the parameters have changed and before [#runForward].
    void prepare() {
        preparations.forEach(Operation::run);
    }

    void runForward() {
        forward.forEach(Operation::run);
    }

    void runBackward() {
        backward.forEach(Operation::run);
    }
}
