package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Nearest;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Upsample;
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Resizes images channel by channel with two of our own kernels.
final class CudaResampling extends AbstractCudaLayer {
    private final String kernels; // `kernels`_forward and `kernels`_backward
    private final List<Object> options; // the kernels' last arguments

    private CudaResampling(String kernels, BatchTensor in, BatchTensor out, Compilation c, List<Object> options) {
        super(c, in, out);
        this.kernels = kernels;
        this.options = options;
    }

    private static BatchTensor output(Network.Layer layer, BatchTensor in, Compilation c) {
        return c.output(layer.out(), in.gradient() != null, layer.name());
    }

    /// Means over windows that cover the image.
    static CudaResampling adaptive(Network.Layer layer, BatchTensor in, Compilation c) {
        return new CudaResampling("adaptive_avg_pool", in, output(layer, in, c), c, List.of());
    }

    /// Means of windows.
    static CudaResampling averages(Pooling.AvgPool2d spec, Network.Layer layer, BatchTensor in, Compilation c) {
        Windows.Side rows = spec.windows().rows();
        Windows.Side columns = spec.windows().columns();
        List<Object> options = List.of(
                rows.taps(),
                rows.stride(),
                rows.before(),
                columns.taps(),
                columns.stride(),
                columns.before(),
                spec.countIncludePad() ? 1 : 0);
        return new CudaResampling("avg_pool_windows", in, output(layer, in, c), c, options);
    }

    /// Nearest-neighbour copies of pixels.
    static CudaResampling nearest(Upsample spec, Network.Layer layer, BatchTensor in, Compilation c) {
        Nearest rows = spec.rows(layer.in());
        Nearest columns = spec.columns(layer.in());
        return new CudaResampling("upsample", in, output(layer, in, c), c, List.of(rows.step(), columns.step()));
    }

    /// Zero padding below and right, for a layer that needs it.
    static CudaResampling padding(Network.Layer layer, BatchTensor in, Compilation c, int below, int right) {
        Shape padded = Shape.of(in.channels(), in.rows() + below, in.columns() + right);
        BatchTensor out = c.output(padded, in.gradient() != null, layer.name() + ", padded");
        return new CudaResampling("pad", in, out, c, List.of());
    }

    @Override
    public void forward() {
        launch("_forward", out.elements(), out.value(), in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("_backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()));
        }
    }

    private void launch(String pass, long elements, Buffer to, Buffer from) {
        List<Object> arguments = new ArrayList<>(List.of(
                to,
                from,
                in.samples(),
                in.channels(),
                in.rows(),
                in.columns(),
                out.rows(),
                out.columns(),
                c.numbers().channelsLastFlag()));
        arguments.addAll(options);
        c.kernels().launch(kernels + pass, elements, arguments.toArray());
    }
}
