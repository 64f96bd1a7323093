package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import java.util.Arrays;

/// The sum of two branches. Both read the same input, and the same gradient of the output, so neither may overwrite
/// them.
final class OneDnnResidual implements OneDnnLayer {
    private final String name;
    private final Chain layers;
    private final Chain shortcut;
    private final Memory output;

    OneDnnResidual(ProgramBuilder program, Network.Layer layer, Memory input) {
        name = layer.name();
        program.share(input);
        layers = new Chain(program, layer.branches().get(0), input);
        shortcut = new Chain(program, layer.branches().get(1), input);
        long[] sizes = OneDnnLayer.outputSizes(input, layer);
        Memory sum = sized(program, layers.output(), sizes);
        output = program.engine().memory(sum.layout());
        program.addSum(name, sum, sized(program, shortcut.output(), sizes), output);
    }

    /// The branches may have different dimensions: after a flatten layer values still have those of the image.
    private static Memory sized(ProgramBuilder program, Memory memory, long... sizes) {
        long[] found = memory.layout().sizes();
        if (Arrays.equals(found, sizes)) {
            return memory;
        }
        Engine engine = program.engine();
        ValueType type = memory.layout().type();
        return engine.view(program.in(engine.plain(type, found), memory), engine.plain(type, sizes));
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        program.share(outputGradient);
        for (Chain branch : new Chain[] {layers, shortcut}) {
            long[] sizes = branch.output().layout().sizes();
            branch.addParameterGradients(program, sized(program, outputGradient, sizes));
        }
    }

    /// The gradients of the branches' inputs come from [#addParameterGradients].
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory a = layers.addInputGradient(program, outputGradient);
        Memory b = shortcut.addInputGradient(program, outputGradient);
        Memory sum = program.over(a);
        program.addSum(name, a, b, sum);
        return sum;
    }
}
