package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ValueType;
import java.util.function.Function;

/// A layer that computes in float32, where the values between layers are bfloat16: what it is given is widened, what it
/// makes is rounded.
final class CompiledInFloats implements CompiledLayer {
    private final ValueType between;
    private final CompiledLayer layer;
    private final Memory output;

    /// @param layer makes it for an input of float32
    CompiledInFloats(ProgramBuilder program, Memory input, Function<Memory, CompiledLayer> layer) {
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

    /// The layer widens the gradient, as it would copy one that lies otherwise than it wants.
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return program.as(between, layer.addInputGradient(program, outputGradient));
    }
}
