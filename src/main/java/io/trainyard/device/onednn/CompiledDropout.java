package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// Multiplies by a mask that is drawn anew in every step, in the logical order of elements.
final class CompiledDropout implements CompiledLayer {
    private final Memory mask;
    private final PrimitiveDescription multiplication;
    private final Memory output;

    CompiledDropout(ProgramBuilder program, Network.Layer layer, LayerSpec.Dropout spec, Memory input) {
        Engine engine = program.engine();
        Layout layout = input.layout();
        Memory drawn = engine.memory(engine.plain(layout.sizes()));
        float[] values = new float[Math.toIntExact(layout.elements())];
        program.add(() -> {
            program.random().get().dropoutMask(values, spec.p());
            drawn.write(values);
        });
        mask = program.in(layout, drawn);
        multiplication = engine.describe(
                "run layer \"%s\"".formatted(layer.name()),
                (handle, cpu) -> dnnl_binary_primitive_desc_create(
                        handle, cpu, dnnl_binary_mul, layout.handle(), layout.handle(), layout.handle(), null));
        output = engine.memory(layout);
        addProduct(program, input, output);
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
        addProduct(program, gradient, gradient);
        return gradient;
    }
}
