package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import java.util.Objects;

/// Reorders a channels-last image to (channel, row, column) order.
final class CudaFlatten extends AbstractCudaLayer {

    CudaFlatten(Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), in.gradient() != null, layer.name()));
    }

    @Override
    public void forward() {
        launch("to_channels_first", out.value(), in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("to_channels_last", wanted, Objects.requireNonNull(out.gradient()));
        }
    }

    private void launch(String kernel, Buffer to, Buffer from) {
        c.kernels().launch(kernel, in.elements(), to, from, in.samples(), in.channels(), in.area());
    }
}
