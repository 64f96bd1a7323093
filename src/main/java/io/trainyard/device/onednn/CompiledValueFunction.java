package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.Clamp;
import io.trainyard.device.onednn.kernel.ValueFunction;
import java.lang.foreign.MemorySegment;

/// A function of each value by a kernel of our own, whose backward pass starts from the input.
final class CompiledValueFunction implements CompiledLayer {
    private final ValueFunction function;
    private final Memory input;
    private final Memory output;

    /// @param function that leaves 0 as it is, unless the input has no padding
    CompiledValueFunction(ProgramBuilder program, ValueFunction function, Memory input) {
        this.function = function;
        this.input = input;
        output = program.engine().memory(input.layout());
        MemorySegment x = input.data();
        MemorySegment y = output.data();
        program.add(() -> function.forward(x, y));
    }

    /// In a layout without padding where padding would not stay 0.
    static CompiledLayer of(ProgramBuilder program, Clamp clamp, Memory input) {
        Layout layout = input.layout();
        Memory suited = clamp.keepsZero() ? input : program.in(program.engine().plain(layout.sizes()), input);
        return new CompiledValueFunction(program, clamp, suited);
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.in(input.layout(), outputGradient);
        Memory inputGradient = program.over(gradient);
        MemorySegment x = input.data();
        MemorySegment from = gradient.data();
        MemorySegment to = inputGradient.data();
        program.add(() -> function.backward(x, from, to));
        return inputGradient;
    }
}
