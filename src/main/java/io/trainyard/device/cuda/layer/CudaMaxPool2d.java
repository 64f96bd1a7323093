package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The largest value of each window and its position, by our own kernel: PyTorch takes the first of equal values,
/// and cuDNN does not specify which it takes.
final class CudaMaxPool2d extends AbstractCudaLayer {
    private final Windows.Side rows;
    private final Windows.Side columns;
    private final boolean usual; // square, dense windows within the image
    private final Buffer index; // (samples, channels, rows, columns) of out

    CudaMaxPool2d(Pooling.MaxPool2d spec, Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), in.gradient() != null, layer.name()));
        this.rows = spec.windows().rows();
        this.columns = spec.windows().columns();
        this.usual =
                rows.equals(columns) && rows.dilation() == 1 && spec.windows().inside(layer.in(), layer.out());
        this.index =
                c.arena().reserve(out.elements() * Integer.BYTES, "where the largest are of layer " + layer.name());
    }

    @Override
    public void forward() {
        launch("forward", out.elements(), out.value(), index, in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()), index);
        }
    }

    private void launch(String pass, long elements, Buffer first, Buffer second, Buffer third) {
        List<Object> arguments = new ArrayList<>(List.of(first, second, third, in.samples(), in.channels()));
        arguments.addAll(List.of(in.rows(), in.columns(), out.rows(), out.columns()));
        int channelsLast = c.numbers().channelsLastFlag();
        if (usual) {
            arguments.addAll(List.of(rows.taps(), rows.stride(), channelsLast));
        } else {
            arguments.add(channelsLast);
            for (Windows.Side side : List.of(rows, columns)) {
                arguments.addAll(List.of(side.taps(), side.stride(), side.dilation(), side.before()));
            }
        }
        c.kernels().launch((usual ? "max_pool_" : "max_pool_windows_") + pass, elements, arguments.toArray());
    }
}
