package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.device.onednn.kernel.WindowMaximum;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import java.lang.foreign.MemorySegment;

/// The largest value of each window, by our own kernel for blocked channels; images in other layouts are copied
/// first.
final class OneDnnMaxPool2d implements OneDnnLayer {
    private final WindowMaximum pooling;
    private final Layout inputLayout;
    private final Memory output;

    /// The index in its window of the largest value.
    private final MemorySegment winners;

    OneDnnMaxPool2d(ProgramBuilder program, Network.Layer layer, Pooling.MaxPool2d spec, Memory input) {
        Engine engine = program.engine();
        Memory source = program.inLanes(input);
        inputLayout = source.layout();
        ImageLayout in = inputLayout.image().orElseThrow();
        ValueType type = inputLayout.type();
        Layout outputLayout = engine.blocked(type, in.lanes(), OneDnnLayer.outputSizes(input, layer));
        pooling = WindowMaximum.of(type, in, outputLayout.image().orElseThrow(), spec.windows());
        output = engine.memory(outputLayout);
        MemorySegment from = source.data();
        MemorySegment to = output.data();
        winners = engine.memory(engine.like(outputLayout, ValueType.FLOAT32)).data();
        program.add(() -> pooling.forward(from, to, winners));
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.engine().memory(inputLayout);
        MemorySegment from = program.in(output.layout(), outputGradient).data();
        MemorySegment to = gradient.data();
        program.add(() -> pooling.backward(from, winners, to));
        return gradient;
    }
}
