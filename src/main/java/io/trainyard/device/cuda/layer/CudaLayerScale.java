package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import java.util.Objects;

final class CudaLayerScale extends AbstractCudaLayer {
    private final ParameterSpec gamma;
    private final int inner; // a tensor is (outer, channels, inner)

    CudaLayerScale(Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), layer.isDifferentiated(), layer.name()));
        this.gamma = layer.parameters().getFirst();
        this.inner = c.numbers().channelsLast() ? 1 : in.area();
    }

    @Override
    public void forward() {
        scale(out.value(), in.value());
    }

    private void scale(Buffer to, Buffer from) {
        c.kernels()
                .launch(
                        "layer_scale",
                        in.elements(),
                        to,
                        from,
                        c.parameters().value(gamma),
                        in.elements(),
                        in.channels(),
                        inner);
    }

    @Override
    public void backward() {
        Buffer gradient = Objects.requireNonNull(out.gradient());
        if (gamma.trained()) {
            c.kernels()
                    .launchBlocks(
                            "layer_scale_gradient",
                            in.channels(),
                            c.parameters().gradient(gamma),
                            gradient,
                            in.value(),
                            (int) (in.elements() / in.channels() / inner),
                            in.channels(),
                            inner);
        }
        Buffer wanted = in.gradient();
        if (wanted != null) {
            scale(wanted, gradient);
        }
    }
}
