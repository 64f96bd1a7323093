package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows;
import java.util.Objects;

/// The mean of each window, some of which reach beyond the image and its padding; cuDNN has none such.
final class CudaCeilAvgPool2d implements CudaLayer {
    private final Windows.Side rows;
    private final Windows.Side columns;
    private final int countPadding;
    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;

    CudaCeilAvgPool2d(Pooling.AvgPool2d spec, Network.Layer layer, BatchTensor in, Compilation c) {
        this.rows = spec.windows().rows();
        this.columns = spec.windows().columns();
        this.countPadding = spec.countIncludePad() ? 1 : 0;
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
        launch("avg_pool_windows_forward", out.elements(), out.value(), in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("avg_pool_windows_backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()));
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
                        c.numbers().channelsLastFlag(),
                        rows.taps(),
                        rows.stride(),
                        rows.before(),
                        columns.taps(),
                        columns.stride(),
                        columns.before(),
                        countPadding);
    }
}
