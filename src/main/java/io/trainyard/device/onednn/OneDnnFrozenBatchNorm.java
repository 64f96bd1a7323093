package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.Normalisation;
import io.trainyard.spec.Network;
import java.util.function.IntToDoubleFunction;

/// Normalizes each channel by the running statistics, which it keeps, in training, too: a fixed factor and shift.
final class OneDnnFrozenBatchNorm implements OneDnnLayer {
    private final ShardBatchNorm share;
    private final ChannelValues input;
    private final Memory output;

    OneDnnFrozenBatchNorm(ProgramBuilder program, Network.Layer layer, Memory input) {
        share = program.norms().of(layer);
        this.input = ChannelValues.of(program, layer, input);
        output = program.engine().memory(this.input.memory().layout());
        addScaling(program, this.input.memory(), output, share::center, share::shift);
    }

    private void addScaling(
            ProgramBuilder program, Memory from, Memory to, IntToDoubleFunction centers, IntToDoubleFunction shifts) {
        Normalisation scaling = new Normalisation(input.images(), from.layout().type(), false);
        program.add(() -> {
            share.useRunning();
            scaling.set(ofChannels(centers), ofChannels(share::factor), ofChannels(shifts));
            scaling.compute(from.data(), null, to.data());
        });
    }

    private double[] ofChannels(IntToDoubleFunction value) {
        double[] values = new double[share.channels()];
        for (int c = 0; c < values.length; c++) {
            values[c] = value.applyAsDouble(c);
        }
        return values;
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.in(input.memory().layout(), outputGradient);
        Memory inputGradient = program.over(gradient);
        addScaling(program, gradient, inputGradient, _ -> 0, _ -> 0);
        return inputGradient;
    }
}
