package io.trainyard.device.onednn;

import io.trainyard.spec.Network;
import java.util.List;

/// The sum of two branches. Both read the same gradient of the output, so neither may overwrite it.
final class OneDnnResidual extends OneDnnJoin {
    private final Memory output;

    OneDnnResidual(ProgramBuilder program, Network.Layer layer, Memory input) {
        super(program, layer, input);
        long[] sizes = OneDnnLayer.outputSizes(input, layer);
        Memory sum = sized(program, branches.getFirst().output(), sizes);
        output = program.engine().memory(sum.layout());
        program.addSum(name, sum, sized(program, branches.getLast().output(), sizes), output);
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    List<Memory> split(ProgramBuilder program, Memory outputGradient) {
        program.share(outputGradient);
        return List.of(outputGradient, outputGradient);
    }
}
