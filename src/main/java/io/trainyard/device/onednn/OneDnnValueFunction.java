package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.Clamp;
import io.trainyard.device.onednn.kernel.ValueFunction;
import java.lang.foreign.MemorySegment;

/// An element-wise function by our own kernel; its backward pass uses the input.
final class OneDnnValueFunction implements OneDnnLayer {
    private final ValueFunction function;
    private final Memory input;
    private final Memory output;

    /// @param function must map 0 to 0, unless the input has no padding
    OneDnnValueFunction(ProgramBuilder program, ValueFunction function, Memory input) {
        this.function = function;
        this.input = input;
        output = program.engine().memory(input.layout());
        MemorySegment x = input.data();
        MemorySegment y = output.data();
        program.add(() -> function.forward(x, y));
    }

    /// Uses a layout without padding if the function would change the padding.
    static OneDnnLayer of(ProgramBuilder program, Clamp clamp, Memory input) {
        Layout layout = input.layout();
        Memory suited = clamp.keepsZero() ? input : program.in(program.engine().plain(layout.sizes()), input);
        return new OneDnnValueFunction(program, clamp, suited);
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
