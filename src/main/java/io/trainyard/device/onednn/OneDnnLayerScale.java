package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ChannelGradientSums;
import io.trainyard.device.onednn.kernel.Normalisation;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Multiplies each channel by its factor, with the kernels of batch norm and a center of 0.
final class OneDnnLayerScale implements OneDnnLayer {
    private final ChannelValues input;
    private final ParameterMemory gamma;
    private final int channels;
    private final Memory output;

    OneDnnLayerScale(ProgramBuilder program, Network.Layer layer, Memory input) {
        this.input = ChannelValues.of(program, layer, input);
        gamma = program.state().placeVector(layer.parameters().getFirst());
        channels = layer.in().size(0);
        output = program.engine().memory(this.input.memory().layout());
        program.add(scaling(this.input.memory(), output));
    }

    private Operation scaling(Memory from, Memory to) {
        Normalisation scaling = new Normalisation(input.images(), ValueType.FLOAT32, false);
        double[] zeros = new double[channels];
        double[] factors = new double[channels];
        MemorySegment source = from.data();
        MemorySegment target = to.data();
        MemorySegment values = gamma.value().data();
        return () -> {
            for (int c = 0; c < channels; c++) {
                factors[c] = values.getAtIndex(ValueLayout.JAVA_FLOAT, c);
            }
            scaling.set(zeros, factors, zeros);
            scaling.compute(source, null, target);
        };
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        if (gamma.gradient() == null) {
            return;
        }
        ChannelGradientSums sums = new ChannelGradientSums(input.images(), ValueType.FLOAT32);
        double[] zeros = new double[channels];
        double[] unused = new double[channels];
        double[] products = new double[channels];
        MemorySegment gradient =
                program.in(input.memory().layout(), outputGradient).data();
        MemorySegment x = input.memory().data();
        MemorySegment target = gamma.requireGradient().data();
        program.add(() -> {
            sums.compute(gradient, x, zeros, unused, products);
            for (int c = 0; c < channels; c++) {
                target.setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) products[c]);
            }
        });
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.in(input.memory().layout(), outputGradient);
        Memory inputGradient = program.over(gradient);
        program.add(scaling(gradient, inputGradient));
        return inputGradient;
    }
}
