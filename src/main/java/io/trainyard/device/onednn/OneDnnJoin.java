package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Concat;
import io.trainyard.spec.Gate;
import io.trainyard.spec.Join;
import io.trainyard.spec.Network;
import io.trainyard.spec.Residual;
import java.util.Arrays;
import java.util.List;

/// Branches of one input, and a join of their outputs. All branches read the same input, so none may overwrite it.
abstract class OneDnnJoin implements OneDnnLayer {
    final String name;
    final List<Chain> branches;

    OneDnnJoin(ProgramBuilder program, Network.Layer layer, Memory input) {
        name = layer.name();
        program.share(input);
        branches = layer.branches().stream()
                .map(branch -> new Chain(program, branch, input))
                .toList();
    }

    static OneDnnLayer of(ProgramBuilder program, Join spec, Network.Layer layer, Memory input, boolean relu) {
        return switch (spec) {
            case Residual _ ->
                OneDnnNormResidual.fits(layer)
                        ? new OneDnnNormResidual(program, layer, input, relu)
                        : new OneDnnResidual(program, layer, input);
            case Concat _ -> new OneDnnConcat(program, layer, input);
            case Gate _ -> new OneDnnGate(program, layer, input);
        };
    }

    /// Branches may have different dimensions: after a flatten layer values still have those of the image.
    static Memory sized(ProgramBuilder program, Memory memory, long... sizes) {
        long[] found = memory.layout().sizes();
        if (Arrays.equals(found, sizes)) {
            return memory;
        }
        Engine engine = program.engine();
        ValueType type = memory.layout().type();
        return engine.view(program.in(engine.plain(type, found), memory), engine.plain(type, sizes));
    }

    /// The gradients of the branches' outputs.
    abstract List<Memory> split(ProgramBuilder program, Memory outputGradient);

    @Override
    public final void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        List<Memory> gradients = split(program, outputGradient);
        for (int i = 0; i < gradients.size(); i++) {
            Chain branch = branches.get(i);
            long[] sizes = branch.output().layout().sizes();
            branch.addParameterGradients(program, sized(program, gradients.get(i), sizes));
        }
    }

    /// The gradients of the branches' inputs come from [#addParameterGradients].
    @Override
    public final Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return addInputGradients(program, name, branches, outputGradient);
    }

    /// The sum over branches whose parameters' gradients have been added.
    static Memory addInputGradients(ProgramBuilder program, String layer, List<Chain> branches, Memory outputGradient) {
        Memory sum = branches.getFirst().addInputGradient(program, outputGradient);
        for (Chain branch : branches.subList(1, branches.size())) {
            Memory addend = branch.addInputGradient(program, outputGradient);
            Memory total = program.over(sum);
            program.addSum(layer, sum, addend, total);
            sum = total;
        }
        return sum;
    }
}
