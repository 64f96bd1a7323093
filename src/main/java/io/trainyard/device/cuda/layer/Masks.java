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

/// The dropout masks of steps: a byte for each element, not 0 where it is kept; layer after layer, as they are
/// drawn, each with all samples of the batch.
public final class Masks {
    /// @param before elements of one sample's masks before this one's
    private record Drawing(String layer, MaskSpec mask, long before) {}

    private final List<Drawing> drawings = new ArrayList<>();
    private final long stride;
    private final float[] drawn;
    private @Nullable Buffer buffer;
    private int window = 1;

    /// @param batchSize of a full batch
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

    /// Bytes of a step, at most.
    public long stride() {
        return stride;
    }

    /// Says where they will be.
    ///
    /// @param newBuffer (window, stride) on the device
    /// @param newWindow how many steps' masks are there at a time
    public void place(Buffer newBuffer, int newWindow) {
        buffer = newBuffer;
        window = newWindow;
    }

    /// How many steps' masks are on the device at a time.
    int window() {
        return window;
    }

    /// Where on the device those of the steps are, (window, stride); null where the network has none.
    public @Nullable Buffer buffer() {
        return buffer;
    }

    /// Where those of a layer begin among a step's, for a batch of `samples`.
    public long offset(Network.Layer layer, int samples) {
        return drawings.stream()
                        .filter(drawing -> drawing.layer().equals(layer.name()))
                        .findFirst()
                        .orElseThrow()
                        .before()
                * samples;
    }

    /// Draws one step's.
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
