package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import java.util.Objects;

/// Means over windows that cover the image; cuDNN has no windows of different sizes.
final class CudaAdaptiveAvgPool2d implements CudaLayer {
    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;

    CudaAdaptiveAvgPool2d(Network.Layer layer, BatchTensor in, Compilation c) {
        this.c = c;
        this.in = in;
        this.out = c.output(layer.out(), in.gradient() != null, layer.name());
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    public boolean needsOutput() {
        return false;
    }

    @Override
    public void forward() {
        launch("adaptive_avg_pool_forward", out.elements(), out.value(), in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("adaptive_avg_pool_backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()));
        }
    }

    private void launch(String kernel, long elements, Buffer to, Buffer from) {
        c.kernels()
                .launch(
                        kernel,
                        elements,
                        to,
                        from,
                        in.samples(),
                        in.channels(),
                        in.rows(),
                        in.columns(),
                        out.rows(),
                        out.columns(),
                        c.numbers().channelsLastFlag());
    }
}
