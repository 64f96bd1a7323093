package io.trainyard.device.cuda.layer;

import io.trainyard.spec.Concat;
import io.trainyard.spec.Gate;
import io.trainyard.spec.Join;
import io.trainyard.spec.Network;
import io.trainyard.spec.Residual;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Branches of one input, and a join of their outputs.
abstract class CudaJoin implements CudaLayer {
    final Compilation c;
    final List<CudaChain> branches = new ArrayList<>();
    private final Fork fork;

    /// @param before the layer with the output `in`; null if it has none
    /// @param sum whether all branches' outputs have the same gradient
    CudaJoin(Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, boolean sum, Compilation c) {
        this.c = c;
        List<BatchTensor> inputs = new ArrayList<>();
        for (List<Network.Layer> branch : layer.branches()) {
            int i = inputs.size();
            BatchTensor input = i == 0
                    ? in
                    : sum && branch.isEmpty()
                            ? in.withGradient(branches.getFirst().out().gradient())
                            : Fork.branch(layer, in, i, c);
            inputs.add(input);
            branches.add(CudaChain.of(branch, input, c));
        }
        fork = Fork.of(inputs, before);
    }

    static CudaLayer of(
            Join spec, Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, boolean relu, Compilation c) {
        return switch (spec) {
            case Residual _ ->
                CudaNormResidual.fits(layer)
                        ? new CudaNormResidual(layer, in, before, relu, c)
                        : new CudaResidual(layer, in, before, c);
            case Concat _ -> new CudaConcat(layer, in, before, c);
            case Gate _ -> new CudaGate(layer, in, before, c);
        };
    }

    /// Computes the output from the branches' outputs.
    abstract void join();

    /// Computes the gradients of the branches' outputs, where they are needed, from that of the output.
    abstract void split();

    @Override
    public final void forward() {
        branches.forEach(CudaChain::forward);
        join();
    }

    @Override
    public final void backward() {
        split();
        branches.reversed().forEach(CudaChain::backward);
        fork.backward(c);
    }
}
