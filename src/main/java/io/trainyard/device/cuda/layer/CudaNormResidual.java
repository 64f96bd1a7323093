package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sum of two branches, one of which ends with a batch norm. The batch norm adds the other branch and includes
/// a ReLU after the sum. Its backward pass computes the other branch's gradient.
final class CudaNormResidual implements CudaLayer {
    private final Compilation c;
    private final Fork fork;
    private final CudaChain body; // the layers before the batch norm in its branch
    private final CudaChain other;
    private final CudaBatchNorm norm;

    /// @param before the layer with the output `in`; null if it has none
    CudaNormResidual(Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, boolean relu, Compilation c) {
        this.c = c;
        int ending = layer.endsWithNorm(0) ? 0 : 1;
        List<Network.Layer> branch = layer.branches().get(ending);
        BatchTensor otherIn = Fork.branch(layer, in, 1 - ending, c);
        fork = Fork.of(List.of(in, otherIn), before);
        body = CudaChain.of(branch.subList(0, branch.size() - 1), in, c);
        other = CudaChain.of(layer.branches().get(1 - ending), otherIn, c);
        norm = new CudaBatchNorm(branch.getLast(), body.out(), other.out(), relu, c);
    }

    static boolean fits(Network.Layer layer) {
        return layer.endsWithNorm(0) || layer.endsWithNorm(1);
    }

    @Override
    public BatchTensor out() {
        return norm.out();
    }

    @Override
    public boolean needsOutput() {
        return norm.needsOutput();
    }

    @Override
    public boolean takeGradient(Buffer gradient) {
        return norm.takeGradient(gradient);
    }

    @Override
    public void forward() {
        body.forward();
        other.forward();
        norm.forward();
    }

    @Override
    public void backward() {
        norm.backward();
        other.backward();
        body.backward();
        fork.backward(c);
    }
}
