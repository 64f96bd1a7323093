package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ValueType;
import java.util.function.Function;

/// Wraps a float32 layer between bfloat16 layers: widens its input and rounds its output.
final class OneDnnFloatAdapter implements OneDnnLayer {
    private final ValueType between;
    private final OneDnnLayer layer;
    private final Memory output;

    OneDnnFloatAdapter(ProgramBuilder program, Memory input, Function<Memory, OneDnnLayer> layer) {
        between = input.layout().type();
        this.layer = layer.apply(program.as(ValueType.FLOAT32, input));
        output = program.as(between, this.layer.output());
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        layer.addParameterGradients(program, outputGradient);
    }

    /// The layer widens the gradient itself, as it copies gradients in other layouts.
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return program.as(between, layer.addInputGradient(program, outputGradient));
    }
}
