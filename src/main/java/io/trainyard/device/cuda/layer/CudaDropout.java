package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import java.util.Objects;

/// Multiplies by the mask drawn on the host, in training only.
final class CudaDropout extends AbstractCudaLayer {
    private final long offset;
    private final int perChannel; // 1 if a mask value applies to a whole channel
    private final float scale;

    CudaDropout(MaskSpec mask, Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), in.gradient() != null, layer.name()));
        this.offset = c.masks().offset(layer, c.part().batchSamples());
        this.perChannel = mask.elements() < in.shape().elements() ? 1 : 0;
        this.scale = 1f / (float) (1.0 - mask.p()); // rounded as PyTorch's mask is
    }

    @Override
    public void forward() {
        mask(out.value(), in.value());
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            mask(wanted, Objects.requireNonNull(out.gradient()));
        }
    }

    private void mask(Buffer to, Buffer from) {
        c.kernels()
                .launch(
                        "dropout",
                        out.elements(),
                        to,
                        from,
                        c.masks().buffer(),
                        c.step(),
                        c.masks().window(),
                        c.masks().stride(),
                        offset,
                        c.part().first(),
                        in.samples(),
                        in.channels(),
                        in.area(),
                        perChannel,
                        scale,
                        c.numbers().channelsLastFlag());
    }
}
