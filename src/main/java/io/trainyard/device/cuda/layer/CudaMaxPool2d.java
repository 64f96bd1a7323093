package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import java.util.Objects;

/// The largest of each window, and where it was. A kernel of our own: among equals PyTorch takes the first, and
/// cuDNN does not say which it takes.
final class CudaMaxPool2d implements CudaLayer {
    private final LayerSpec.MaxPool2d spec;
    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;
    private final Buffer index; // (samples, channels, rows, columns) of out

    CudaMaxPool2d(LayerSpec.MaxPool2d spec, Network.Layer layer, BatchTensor in, Compilation c) {
        this.spec = spec;
        this.c = c;
        this.in = in;
        this.out = c.output(layer.out(), in.gradient() != null, layer.name());
        this.index =
                c.arena().reserve(out.elements() * Integer.BYTES, "where the largest are of layer " + layer.name());
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
        launch("max_pool_forward", out.elements(), out.value(), index, in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("max_pool_backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()), index);
        }
    }

    private void launch(String kernel, long elements, Buffer first, Buffer second, Buffer third) {
        c.kernels()
                .launch(
                        kernel,
                        elements,
                        first,
                        second,
                        third,
                        in.samples(),
                        in.channels(),
                        in.rows(),
                        in.columns(),
                        out.rows(),
                        out.columns(),
                        spec.kernel(),
                        spec.stride(),
                        c.numbers().channelsLastFlag());
    }
}
