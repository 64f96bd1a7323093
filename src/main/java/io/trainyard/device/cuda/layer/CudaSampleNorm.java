package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import io.trainyard.spec.NormSets;
import io.trainyard.spec.SampleNorm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Group norm and layer norm. Their parameters and statistics are float32 in each precision.
final class CudaSampleNorm extends AbstractCudaLayer {
    /// Blocks of a launch; each block processes several sets if there are more.
    private static final int MOST_BLOCKS = 1 << 16;

    private final SampleNorm spec;
    private final NormSets sets;
    private final Network.Layer layer;
    private final Buffer means; // (samples, sets)
    private final Buffer inverses;
    private final List<Buffer> gradients; // of scale and shift; empty if neither is trained

    CudaSampleNorm(SampleNorm spec, Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), layer.isDifferentiated(), layer.name()));
        this.spec = spec;
        this.sets = spec.sets(layer.in());
        this.layer = layer;
        long bytes = (long) in.samples() * sets.sets() * Float.BYTES;
        this.means = c.arena().reserve(bytes, "the means of layer " + layer.name());
        this.inverses = c.arena().reserve(bytes, "the deviations of layer " + layer.name());
        this.gradients = c.training() && layer.isTrained()
                ? layer.parameters().stream().map(c::gradient).toList()
                : List.of();
    }

    private @Nullable Buffer parameter(int number) {
        return spec.affine() ? c.parameters().value(layer.parameters().get(number)) : null;
    }

    @Override
    public void forward() {
        launch(
                "sample_norm_forward",
                blocks(),
                List.of((float) spec.eps()),
                out.value(),
                in.value(),
                parameter(0),
                parameter(1),
                means,
                inverses);
    }

    private int blocks() {
        return Math.clamp((long) in.samples() * sets.sets(), 1, MOST_BLOCKS);
    }

    /// @param behind arguments after those that describe the sets
    /// @param before arguments before them
    private void launch(String kernel, int blocks, List<Object> behind, @Nullable Object... before) {
        List<@Nullable Object> arguments = new ArrayList<@Nullable Object>(Arrays.asList(before));
        arguments.addAll(List.of(
                in.samples(),
                sets.sets(),
                sets.size(),
                sets.sideBySide() ? 1 : 0,
                sets.weights(),
                sets.run(),
                in.channels(),
                in.area(),
                c.numbers().channelsLastFlag()));
        arguments.addAll(behind);
        c.kernels().launchBlocks(kernel, blocks, arguments.toArray());
    }

    @Override
    public void backward() {
        if (!gradients.isEmpty()) {
            launch(
                    "sample_norm_gradients",
                    Math.min(sets.weights(), MOST_BLOCKS),
                    List.of(),
                    gradients.get(0),
                    gradients.get(1),
                    Objects.requireNonNull(out.gradient()),
                    in.value(),
                    means,
                    inverses);
        }
        if (in.gradient() != null) {
            launch(
                    "sample_norm_backward",
                    blocks(),
                    List.of(),
                    in.gradient(),
                    Objects.requireNonNull(out.gradient()),
                    in.value(),
                    parameter(0),
                    means,
                    inverses);
        }
    }
}
