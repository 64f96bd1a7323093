package io.trainyard.device.onednn;

import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Network;
import java.util.List;

/// The sum of two branches, one of which ends with a batch norm. The batch norm adds the other branch and includes
/// a ReLU after the sum. Both branches read the same input, so neither may overwrite it.
final class OneDnnNormResidual implements OneDnnLayer {
    private final String name;
    private final Chain body; // the layers before the batch norm in its branch
    private final Chain other;
    private final OneDnnBatchNorm norm;

    /// @param relu whether a ReLU follows
    OneDnnNormResidual(ProgramBuilder program, Network.Layer layer, Memory input, boolean relu) {
        name = layer.name();
        program.share(input);
        int ending = endsWithNorm(layer, 0) ? 0 : 1;
        List<Network.Layer> branch = layer.branches().get(ending);
        body = new Chain(program, branch.subList(0, branch.size() - 1), input);
        other = new Chain(program, layer.branches().get(1 - ending), input);
        norm = new OneDnnBatchNorm(program, branch.getLast(), body.output(), other.output(), relu);
    }

    static boolean fits(Network.Layer layer) {
        return endsWithNorm(layer, 0) || endsWithNorm(layer, 1);
    }

    private static boolean endsWithNorm(Network.Layer layer, int branch) {
        return layer.endsWithNorm(branch)
                && layer.branches().get(branch).getLast().spec() instanceof BatchNorm.BatchNorm2d;
    }

    @Override
    public Memory output() {
        return norm.output();
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        norm.addParameterGradients(program, outputGradient);
        body.addParameterGradients(program, norm.addInputGradient(program, outputGradient));
        other.addParameterGradients(program, norm.addendGradient());
    }

    /// The gradients of the branches' inputs come from [#addParameterGradients].
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return OneDnnJoin.addInputGradients(program, name, List.of(body, other), outputGradient);
    }
}
