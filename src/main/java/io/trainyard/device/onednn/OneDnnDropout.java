package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import java.util.Arrays;

/// Multiplies by a new random mask in every step, in the logical order of elements. One mask value may apply to
/// several adjacent inputs: `dropout2d` has one for each channel.
final class OneDnnDropout implements OneDnnLayer {
    private final Memory mask;
    private final PrimitiveDescription multiplication;
    private final Memory output;

    private OneDnnDropout(ProgramBuilder program, Network.Layer layer, MaskSpec spec, Memory input) {
        Engine engine = program.engine();
        Layout layout = input.layout();
        Memory plain = engine.memory(engine.plain(layout.sizes()));
        float[] values = new float[Math.toIntExact(layout.elements())];
        float[] drawn = new float[(int) layout.sizes()[0] * spec.elements()];
        int neighbours = values.length / drawn.length;
        program.add(() -> {
            program.masks().read(layer.name(), drawn);
            for (int i = 0; i < drawn.length; i++) {
                Arrays.fill(values, i * neighbours, (i + 1) * neighbours, drawn[i]);
            }
            plain.write(values);
        });
        mask = program.in(layout, plain);
        multiplication = engine.describe(
                "run layer \"%s\"".formatted(layer.name()),
                (handle, cpu) -> dnnl_binary_primitive_desc_create(
                        handle, cpu, dnnl_binary_mul, layout.handle(), layout.handle(), layout.handle(), null));
        output = engine.memory(layout);
        addProduct(program, input, output);
    }

    /// The identity in evaluation, and if no mask is drawn.
    static OneDnnLayer of(ProgramBuilder program, Network.Layer layer, Memory input) {
        return layer.mask()
                .filter(_ -> program.training())
                .<OneDnnLayer>map(mask -> new OneDnnDropout(program, layer, mask, input))
                .orElseGet(() -> new PassThrough(input));
    }

    private void addProduct(ProgramBuilder program, Memory factor, Memory product) {
        program.add(
                multiplication,
                new Argument(DNNL_ARG_SRC_0, factor),
                new Argument(DNNL_ARG_SRC_1, mask),
                new Argument(DNNL_ARG_DST, product));
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.in(output.layout(), outputGradient);
        Memory inputGradient = program.over(gradient);
        addProduct(program, gradient, inputGradient);
        return inputGradient;
    }
}
