package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Nearest;
import io.trainyard.spec.Network;
import io.trainyard.spec.Upsample;
import java.util.Objects;

/// Images of another size, whose pixels are copies of those before.
final class CudaUpsample implements CudaLayer {
    private final Nearest rows;
    private final Nearest columns;
    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;

    CudaUpsample(Upsample spec, Network.Layer layer, BatchTensor in, Compilation c) {
        this.rows = spec.rows(layer.in());
        this.columns = spec.columns(layer.in());
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
        launch("upsample_forward", out.elements(), out.value(), in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            launch("upsample_backward", in.elements(), wanted, Objects.requireNonNull(out.gradient()));
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
                        rows.step(),
                        columns.step());
    }
}
