package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The dropout masks of steps: a byte for each element, non-zero if it is kept; layer by layer in drawing order,
/// each with all samples of the batch.
public final class Masks {
    /// @param before elements of one sample's earlier masks
    private record Drawing(String layer, MaskSpec mask, long before) {}

    private final List<Drawing> drawings = new ArrayList<>();
    private final long stride;
    private final float[] drawn;
    private @Nullable Buffer buffer;
    private int window = 1;

    public Masks(Network network, int batchSize) {
        long before = 0;
        int most = 0;
        for (Map.Entry<String, MaskSpec> entry : network.masks().entrySet()) {
            int elements = entry.getValue().elements();
            drawings.add(new Drawing(entry.getKey(), entry.getValue(), before));
            before += elements;
            most = Math.max(most, elements);
        }
        stride = before * batchSize;
        drawn = new float[Math.multiplyExact(most, batchSize)];
    }

    /// The largest size of a step's masks, in bytes.
    public long stride() {
        return stride;
    }

    public void place(Buffer newBuffer, int newWindow) {
        buffer = newBuffer;
        window = newWindow;
    }

    int window() {
        return window;
    }

    /// The device memory of the masks, (window, stride); null if the network has none.
    public @Nullable Buffer buffer() {
        return buffer;
    }

    public long offset(Network.Layer layer, int samples) {
        return drawings.stream()
                        .filter(drawing -> drawing.layer().equals(layer.name()))
                        .findFirst()
                        .orElseThrow()
                        .before()
                * samples;
    }

    public void draw(TorchRandom random, int samples, ByteBuffer target) {
        for (Drawing drawing : drawings) {
            int elements = samples * drawing.mask().elements();
            float[] mask = elements == drawn.length ? drawn : new float[elements];
            random.dropoutMask(mask, drawing.mask().p());
            for (float value : mask) {
                target.put((byte) (value == 0 ? 0 : 1));
            }
        }
    }
}
