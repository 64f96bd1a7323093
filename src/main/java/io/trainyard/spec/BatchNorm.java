package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.trainyard.spec.ParameterSpec.Init;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Normalizes each channel by the mean and variance of the batch; evaluation uses running statistics.
public sealed interface BatchNorm extends LayerSpec {
    double DEFAULT_EPS = 1e-5;
    double DEFAULT_MOMENTUM = 0.1;
    BatchMomentum DEFAULT = new BatchMomentum(DEFAULT_MOMENTUM);

    /// Added to the variance.
    double eps();

    /// The weight of the newest batch in the running statistics.
    BatchMomentum momentum();

    /// Whether each channel has a trained scale and shift.
    boolean affine();

    /// Checks the fields that both kinds share.
    private static void check(String type, double eps, BatchMomentum momentum) {
        Norms.checkEps(type + ".eps", eps);
        if (momentum.given() != null) {
            Check.between(type + ".momentum", momentum.given(), 0, 1);
        }
    }

    /// Without running statistics, tests would normalize by their own batches, and a sample's result would depend
    /// on the other samples of its batch.
    private static void requireRunning(String type, @Nullable Boolean trackRunningStats) {
        if (trackRunningStats != null && !trackRunningStats) {
            throw new InvalidJobException(
                    "%s.trackRunningStats is false, which no device supports; leave it out, or use groupNorm, which has no running statistics"
                            .formatted(type));
        }
    }

    @Override
    default List<ParameterSpec> parameters(Shape in) {
        Shape channels = Shape.of(in.size(0));
        List<ParameterSpec> parameters = new ArrayList<>();
        if (affine()) {
            parameters.addAll(Norms.weightAndBias(channels));
        }
        parameters.add(new ParameterSpec("running_mean", channels, new Init.Constant(0), false));
        parameters.add(new ParameterSpec("running_var", channels, new Init.Constant(1), false));
        parameters.add(new ParameterSpec("num_batches_tracked", Shape.of(), new Init.Counter(), false));
        return List.copyOf(parameters);
    }

    @Override
    default boolean needsWholeBatch() {
        return true;
    }

    /// For vectors: each feature is a channel.
    record BatchNorm1d(@Nullable String name, double eps, BatchMomentum momentum, boolean affine) implements BatchNorm {
        public BatchNorm1d {
            check("batchNorm1d", eps, momentum);
        }

        /// With a constant momentum.
        public BatchNorm1d(@Nullable String name, double eps, double momentum, boolean affine) {
            this(name, eps, new BatchMomentum(momentum), affine);
        }

        @JsonCreator
        static BatchNorm1d read(
                @Nullable String name,
                @Nullable Double eps,
                @Nullable BatchMomentum momentum,
                @Nullable Boolean affine,
                @Nullable Boolean trackRunningStats) {
            requireRunning("batchNorm1d", trackRunningStats);
            return new BatchNorm1d(
                    name,
                    eps == null ? DEFAULT_EPS : eps,
                    momentum == null ? DEFAULT : momentum,
                    affine == null || affine);
        }

        @Override
        public Shape output(Shape in) {
            if (in.rank() != 1) {
                throw new ShapeMismatch(
                        "it takes vectors; put a flatten layer before it, or take batchNorm2d for images");
            }
            return in;
        }
    }

    /// For images: statistics are taken over the batch, height and width.
    record BatchNorm2d(@Nullable String name, double eps, BatchMomentum momentum, boolean affine) implements BatchNorm {
        public BatchNorm2d {
            check("batchNorm2d", eps, momentum);
        }

        /// With a constant momentum.
        public BatchNorm2d(@Nullable String name, double eps, double momentum, boolean affine) {
            this(name, eps, new BatchMomentum(momentum), affine);
        }

        /// With PyTorch's defaults.
        public BatchNorm2d(@Nullable String name) {
            this(name, DEFAULT_EPS, DEFAULT, true);
        }

        @JsonCreator
        static BatchNorm2d read(
                @Nullable String name,
                @Nullable Double eps,
                @Nullable BatchMomentum momentum,
                @Nullable Boolean affine,
                @Nullable Boolean trackRunningStats) {
            requireRunning("batchNorm2d", trackRunningStats);
            return new BatchNorm2d(
                    name,
                    eps == null ? DEFAULT_EPS : eps,
                    momentum == null ? DEFAULT : momentum,
                    affine == null || affine);
        }

        @Override
        public Shape output(Shape in) {
            LayerChecks.requireImage(in);
            return in;
        }
    }
}
