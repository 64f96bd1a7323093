package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import io.trainyard.spec.Shape;
import java.util.Objects;

/// Zeros below and right of images.
final class CudaPadding {
    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;

    /// @param layer whose images they are
    CudaPadding(Network.Layer layer, BatchTensor in, Compilation c, int below, int right) {
        this.c = c;
        this.in = in;
        Shape padded = Shape.of(in.channels(), in.rows() + below, in.columns() + right);
        this.out = c.output(padded, in.gradient() != null, layer.name() + ", padded");
    }

    BatchTensor out() {
        return out;
    }

    void forward() {
        launch("pad_forward", out.elements(), out.value(), in.value());
    }

    void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("pad_backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()));
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
