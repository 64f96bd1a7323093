package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.Relu;
import io.trainyard.device.onednn.kernel.ValueType;
import java.lang.foreign.MemorySegment;

/// max(0, x) by our own kernel, in place if no other layer reads the input. The backward pass uses the output to
/// determine where the input was positive; no other kind of layer needs its own output.
final class OneDnnRelu implements OneDnnLayer {
    private final Memory output;

    OneDnnRelu(ProgramBuilder program, Memory input) {
        output = program.over(input);
        MemorySegment from = input.data();
        MemorySegment to = output.data();
        ValueType type = output.layout().type();
        program.add(() -> Relu.forward(type, from, to));
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.in(output.layout(), outputGradient);
        Memory inputGradient = program.over(gradient);
        MemorySegment from = gradient.data();
        MemorySegment to = inputGradient.data();
        MemorySegment values = output.data();
        ValueType type = output.layout().type();
        program.add(() -> Relu.backward(type, values, from, to));
        return inputGradient;
    }
}
