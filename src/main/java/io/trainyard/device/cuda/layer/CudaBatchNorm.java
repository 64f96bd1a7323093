package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Batch norm by our own kernels, which include a following addition of a residual's other branch and a following
/// ReLU. Its parameters and statistics are float32 in each precision.
final class CudaBatchNorm extends AbstractCudaLayer {
    private static final int FLOATS_OF_SUMS = 2;

    private final BatchNorm spec;
    private final Network.Layer layer;
    private final @Nullable BatchTensor addend;
    private final boolean relu;
    private final NormTiles tiles;
    private final Buffer mean; // (channels) of the batch
    private final Buffer inverse; // 1 / its deviation
    private final @Nullable Buffer weightGradient; // null if neither weight nor bias is trained
    private final @Nullable Buffer biasGradient;
    private @Nullable Buffer otherGradient; // added to the output's

    /// @param addend added to the normalized values; may be null
    /// @param relu whether a ReLU is included
    CudaBatchNorm(Network.Layer layer, BatchTensor in, @Nullable BatchTensor addend, boolean relu, Compilation c) {
        super(c, in, output(layer, addend, relu, c));
        this.spec = (BatchNorm) layer.spec();
        this.layer = layer;
        this.addend = addend;
        this.relu = relu;
        this.tiles = NormTiles.of(in, c.numbers());
        long bytes = (long) in.channels() * Float.BYTES;
        this.mean = c.arena().reserve(bytes, "the batch's mean of layer " + layer.name());
        this.inverse = c.arena().reserve(bytes, "the batch's deviation of layer " + layer.name());
        boolean trained = c.training() && layer.isTrained();
        this.weightGradient = trained ? named("weight").map(c::gradient).orElse(null) : null;
        this.biasGradient = trained ? named("bias").map(c::gradient).orElse(null) : null;
        if (c.training()) {
            c.workspace().require(tiles.splits() * bytes * FLOATS_OF_SUMS, false);
            c.workspace().requireCounters(in.channels());
        }
    }

    /// Without a ReLU the addend and the sum have the same gradient and share a buffer. With one, the addend has
    /// the gradient that passes the ReLU.
    private static BatchTensor output(Network.Layer layer, @Nullable BatchTensor addend, boolean relu, Compilation c) {
        Buffer shared = relu || addend == null ? null : addend.gradient();
        BatchTensor own = c.output(layer.out(), shared == null && layer.isDifferentiated(), layer.name());
        return shared == null ? own : own.withGradient(shared);
    }

    private @Nullable Buffer addendGradient() {
        return addend == null ? null : addend.gradient();
    }

    /// The ReLU's mask is recomputed if it depends only on the input.
    @Override
    public boolean needsOutput() {
        return relu && addend != null;
    }

    /// Only if the sum is stored anyway, so that it is read once.
    @Override
    public boolean takeGradient(Buffer other) {
        boolean stored = relu && addendGradient() != null;
        otherGradient = stored ? other : null;
        return stored;
    }

    private Optional<ParameterSpec> named(String parameter) {
        return layer.parameters().stream()
                .filter(known -> known.name().equals(layer.name() + "." + parameter))
                .findFirst();
    }

    private @Nullable Buffer value(String parameter) {
        return named(parameter).map(c.parameters()::value).orElse(null);
    }

    private int flag() {
        return relu ? 1 : 0;
    }

    private void launch(String kernel, @Nullable Object... arguments) {
        List<@Nullable Object> all = new ArrayList<@Nullable Object>(Arrays.asList(arguments));
        all.addAll(tiles.arguments());
        c.kernels().launchBlocks(kernel, tiles.blocks(c.numbers()), all.toArray());
    }

    @Override
    public void forward() {
        Buffer added = addend == null ? null : addend.value();
        float eps = (float) spec.eps();
        if (!c.training() || layer.keepsStatistics()) {
            launch(
                    "batch_norm_evaluation",
                    out.value(),
                    in.value(),
                    added,
                    value("weight"),
                    value("bias"),
                    value("running_mean"),
                    value("running_var"),
                    eps,
                    flag());
            return;
        }
        Buffer batches = spec.momentum().isCumulative() ? value("num_batches_tracked") : null;
        BatchNormExchange.Rows sums = c.norms().rows(layer, false);
        launch(
                "batch_norm_statistics",
                sums.own(),
                batches,
                c.workspace().buffer(),
                c.workspace().counters(),
                in.value());
        c.norms().exchange(sums);
        launch(
                "batch_norm_forward",
                out.value(),
                in.value(),
                added,
                value("weight"),
                value("bias"),
                sums.all(),
                c.norms().parts(),
                c.part().batchSamples(),
                in.area(),
                mean,
                inverse,
                value("running_mean"),
                value("running_var"),
                batches,
                (float) spec.momentum().weight(0),
                eps,
                flag());
    }

    @Override
    public void backward() {
        if (layer.keepsStatistics()) {
            scaleGradient();
            return;
        }
        Buffer given = Objects.requireNonNull(out.gradient());
        Buffer through = relu ? addendGradient() : null; // receives the gradient that passes the ReLU
        Buffer output = needsOutput() ? out.value() : null;
        BatchNormExchange.Rows sums = c.norms().rows(layer, true);
        launch(
                "batch_norm_gradient_sums",
                sums.own(),
                weightGradient,
                biasGradient,
                through,
                c.workspace().buffer(),
                c.workspace().counters(),
                given,
                otherGradient,
                in.value(),
                output,
                value("weight"),
                value("bias"),
                mean,
                inverse,
                flag());
        c.norms().exchange(sums);
        if (in.gradient() != null) {
            launch(
                    "batch_norm_backward",
                    in.gradient(),
                    through == null ? given : through,
                    in.value(),
                    through == null ? output : null,
                    value("weight"),
                    value("bias"),
                    mean,
                    inverse,
                    sums.all(),
                    c.norms().parts(),
                    c.part().batchSamples(),
                    in.area(),
                    through == null ? flag() : 0);
        }
    }

    /// With constant statistics the input's gradient is the output's times the factor of the forward pass.
    private void scaleGradient() {
        if (in.gradient() != null) {
            mean.clear();
            launch(
                    "batch_norm_evaluation",
                    in.gradient(),
                    Objects.requireNonNull(out.gradient()),
                    null,
                    value("weight"),
                    null,
                    mean, // zeros: there is nothing to subtract
                    value("running_var"),
                    (float) spec.eps(),
                    0);
        }
    }
}
