package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Multiplies each channel of a sample by the factor that the branch of layers computes.
final class CudaGate extends CudaJoin {
    private final BatchTensor values;
    private final BatchTensor factors; // (samples, channels)
    private final BatchTensor out;

    CudaGate(Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, Compilation c) {
        super(layer, in, before, false, c);
        values = branches.getFirst().out();
        factors = branches.getLast().out();
        boolean differentiable = values.gradient() != null || factors.gradient() != null;
        out = c.output(layer.out(), differentiable, layer.name());
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    void join() {
        scale(out.value(), values.value());
    }

    @Override
    void split() {
        Buffer gradient = out.gradient();
        if (factors.gradient() != null) {
            c.kernels()
                    .launchBlocks(
                            "gate_gradient",
                            values.samples() * values.channels(),
                            factors.gradient(),
                            gradient,
                            values.value(),
                            values.samples(),
                            values.channels(),
                            values.area(),
                            c.numbers().channelsLastFlag());
        }
        if (values.gradient() != null) {
            scale(values.gradient(), Objects.requireNonNull(gradient));
        }
    }

    private void scale(Buffer to, Buffer from) {
        c.kernels()
                .launch(
                        "gate",
                        values.elements(),
                        to,
                        from,
                        factors.value(),
                        values.elements(),
                        values.channels(),
                        values.area(),
                        c.numbers().channelsLastFlag());
    }
}
