package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.NearestPixels;
import io.trainyard.spec.Network;
import io.trainyard.spec.Upsample;
import java.lang.foreign.MemorySegment;

/// Resizes images by our own kernel, because oneDNN chooses other nearest pixels than PyTorch.
final class OneDnnUpsample implements OneDnnLayer {
    private final NearestPixels pixels;
    private final Layout inputLayout;
    private final Memory output;

    OneDnnUpsample(ProgramBuilder program, Network.Layer layer, Upsample spec, Memory input) {
        Engine engine = program.engine();
        Memory source = program.inLanes(input);
        inputLayout = source.layout();
        ImageLayout in = inputLayout.image().orElseThrow();
        Layout outputLayout = engine.blocked(in.lanes(), OneDnnLayer.outputSizes(input, layer));
        pixels = new NearestPixels(
                in, outputLayout.image().orElseThrow(), spec.rows(layer.in()), spec.columns(layer.in()));
        output = engine.memory(outputLayout);
        MemorySegment from = source.data();
        MemorySegment to = output.data();
        program.add(() -> pixels.forward(from, to));
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
        program.add(() -> pixels.backward(from, to));
        return gradient;
    }
}
