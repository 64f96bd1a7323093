package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.spec.ParameterSpec.Init;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One layer of a network, with the names and the meaning it has in PyTorch's `torch.nn`. Input sizes are not
/// written: they are inferred from the data set ([Network]).
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LayerSpec.Conv2d.class, name = "conv2d"),
    @JsonSubTypes.Type(value = LayerSpec.MaxPool2d.class, name = "maxPool2d"),
    @JsonSubTypes.Type(value = LayerSpec.AvgPool2d.class, name = "avgPool2d"),
    @JsonSubTypes.Type(value = LayerSpec.AdaptiveAvgPool2d.class, name = "adaptiveAvgPool2d"),
    @JsonSubTypes.Type(value = LayerSpec.Upsample.class, name = "upsample"),
    @JsonSubTypes.Type(value = LayerSpec.BatchNorm1d.class, name = "batchNorm1d"),
    @JsonSubTypes.Type(value = LayerSpec.BatchNorm2d.class, name = "batchNorm2d"),
    @JsonSubTypes.Type(value = SampleNorm.GroupNorm.class, name = "groupNorm"),
    @JsonSubTypes.Type(value = SampleNorm.LayerNorm.class, name = "layerNorm"),
    @JsonSubTypes.Type(value = SampleNorm.LayerNorm2d.class, name = "layerNorm2d"),
    @JsonSubTypes.Type(value = LayerSpec.LayerScale.class, name = "layerScale"),
    @JsonSubTypes.Type(value = LayerSpec.Relu.class, name = "relu"),
    @JsonSubTypes.Type(value = LayerSpec.LeakyRelu.class, name = "leakyRelu"),
    @JsonSubTypes.Type(value = LayerSpec.Gelu.class, name = "gelu"),
    @JsonSubTypes.Type(value = LayerSpec.Tanh.class, name = "tanh"),
    @JsonSubTypes.Type(value = LayerSpec.Sigmoid.class, name = "sigmoid"),
    @JsonSubTypes.Type(value = LayerSpec.Silu.class, name = "silu"),
    @JsonSubTypes.Type(value = LayerSpec.Softplus.class, name = "softplus"),
    @JsonSubTypes.Type(value = LayerSpec.Hardswish.class, name = "hardswish"),
    @JsonSubTypes.Type(value = LayerSpec.Hardtanh.class, name = "hardtanh"),
    @JsonSubTypes.Type(value = LayerSpec.Relu6.class, name = "relu6"),
    @JsonSubTypes.Type(value = LayerSpec.Identity.class, name = "identity"),
    @JsonSubTypes.Type(value = LayerSpec.Dropout.class, name = "dropout"),
    @JsonSubTypes.Type(value = LayerSpec.Dropout2d.class, name = "dropout2d"),
    @JsonSubTypes.Type(value = LayerSpec.Flatten.class, name = "flatten"),
    @JsonSubTypes.Type(value = LayerSpec.Linear.class, name = "linear"),
    @JsonSubTypes.Type(value = LayerSpec.Residual.class, name = "residual"),
})
@JsonInclude(JsonInclude.Include.NON_NULL)
public sealed interface LayerSpec
        permits LayerSpec.Fixed,
                LayerSpec.Conv2d,
                LayerSpec.BatchNorm,
                SampleNorm,
                LayerSpec.LayerScale,
                LayerSpec.Dropout,
                LayerSpec.Dropout2d,
                LayerSpec.Linear,
                LayerSpec.Residual {
    int MAX_WIDTH = 1 << 20;
    int MAX_WINDOW = 1024;

    /// The layer's name in `state_dict()`; null stands for its index in its list, as in `nn.Sequential`. A layer
    /// within another has that one's name before it.
    @Nullable
    String name();

    /// The name of the layer that is number `index` of its list.
    default String nameAt(int index) {
        String name = name();
        return name == null ? Integer.toString(index) : name;
    }

    /// What a job calls this kind of layer: its `type`.
    default String type() {
        return Arrays.stream(LayerSpec.class.getAnnotation(JsonSubTypes.class).value())
                .filter(type -> type.value() == getClass())
                .map(JsonSubTypes.Type::name)
                .findFirst()
                .orElseThrow();
    }

    /// The lists of layers within this one; empty for most.
    default List<Branch> branches() {
        return List.of();
    }

    /// The shape this layer makes of one sample of shape `in`.
    ///
    /// @throws ShapeMismatch if the layer cannot take `in`; says what it takes instead
    Shape output(Shape in);

    /// The layer's parameters and buffers for samples of shape `in`, in `state_dict()` order, with names relative to
    /// the layer.
    default List<ParameterSpec> parameters(Shape in) {
        return List.of();
    }

    /// Whether in training it needs all samples of a batch at once: it normalises each channel by the mean and variance
    /// that the whole batch has there. Layers within it answer for themselves, here and below.
    boolean needsWholeBatch();

    /// What it draws in training, for samples of shape `in`; empty for a layer that draws nothing.
    Optional<MaskSpec> mask(Shape in);

    /// Multiplications, each with an addition, of the forward pass of one sample of shape `in`, in convolutions and
    /// products with a matrix.
    long multiplyAdds(Shape in);

    /// A fixed function of each sample by itself: nothing to train, nothing to draw, no weights to multiply by.
    sealed interface Fixed extends LayerSpec {
        @Override
        default boolean needsWholeBatch() {
            return false;
        }

        @Override
        default Optional<MaskSpec> mask(Shape in) {
            return Optional.empty();
        }

        @Override
        default long multiplyAdds(Shape in) {
            return 0;
        }
    }

    /// Cross-correlation with `out` kernels, zeros around the image; weight (out, in / groups, kernel rows, kernel
    /// columns).
    ///
    /// @param dilation the distance between a kernel's taps; 1 for a dense one
    /// @param groups into how many equal parts the channels before and after are divided; each part of the
    ///     output sees only its own part of the input
    record Conv2d(
            @Nullable String name,
            int out,
            Extent kernel,
            Extent stride,
            Padding padding,
            Extent dilation,
            int groups,
            boolean bias)
            implements LayerSpec {
        public Conv2d {
            Check.between("conv2d.out", out, 1, MAX_WIDTH);
            Check.between("conv2d.kernel", kernel, 1, MAX_WINDOW);
            Check.between("conv2d.stride", stride, 1, MAX_WINDOW);
            if (padding.given() != null) {
                Check.between("conv2d.padding", padding.given(), 0, MAX_WINDOW);
            }
            Check.between("conv2d.dilation", dilation, 1, MAX_WINDOW);
            Check.between("conv2d.groups", groups, 1, MAX_WIDTH);
            if (out % groups != 0) {
                throw new InvalidJobException(
                        "conv2d.groups is %d, but conv2d.out is %d; it must be a multiple of groups"
                                .formatted(groups, out));
            }
            if (padding.isSame() && !stride.equals(Extent.square(1))) {
                throw new InvalidJobException(
                        "conv2d.padding is \"same\", but conv2d.stride is %s; it must be 1, or the padding a number"
                                .formatted(stride));
            }
        }

        /// Square.
        public Conv2d(
                @Nullable String name,
                int out,
                int kernel,
                int stride,
                int padding,
                int dilation,
                int groups,
                boolean bias) {
            this(
                    name,
                    out,
                    Extent.square(kernel),
                    Extent.square(stride),
                    Padding.of(padding),
                    Extent.square(dilation),
                    groups,
                    bias);
        }

        /// Square and dense, in one group.
        public Conv2d(@Nullable String name, int out, int kernel, int stride, int padding, boolean bias) {
            this(name, out, kernel, stride, padding, 1, 1, bias);
        }

        @JsonCreator
        static Conv2d read(
                @Nullable String name,
                @Nullable Integer out,
                @Nullable Extent kernel,
                @Nullable Extent stride,
                @Nullable Padding padding,
                @Nullable Extent dilation,
                @Nullable Integer groups,
                @Nullable Boolean bias) {
            return new Conv2d(
                    name,
                    Check.present("conv2d.out", out),
                    Check.present("conv2d.kernel", kernel),
                    stride == null ? Extent.square(1) : stride,
                    padding == null ? Padding.of(0) : padding,
                    dilation == null ? Extent.square(1) : dilation,
                    groups == null ? 1 : groups,
                    bias == null || bias);
        }

        public Windows windows() {
            Extent reach =
                    new Extent((kernel.rows() - 1) * dilation.rows(), (kernel.columns() - 1) * dilation.columns());
            return Windows.of(kernel, stride, dilation, padding.before(reach), padding.after(reach));
        }

        @Override
        public Shape output(Shape in) {
            Window.requireImage(in);
            if (in.size(0) % groups != 0) {
                throw new ShapeMismatch("its %d groups cannot share %d channels evenly".formatted(groups, in.size(0)));
            }
            return windows().over(in, out);
        }

        @Override
        public List<ParameterSpec> parameters(Shape in) {
            int seen = in.size(0) / groups;
            return Window.weightAndBias(
                    Shape.of(out, seen, kernel.rows(), kernel.columns()), seen * kernel.area(), bias);
        }

        @Override
        public boolean needsWholeBatch() {
            return false;
        }

        @Override
        public Optional<MaskSpec> mask(Shape in) {
            return Optional.empty();
        }

        @Override
        public long multiplyAdds(Shape in) {
            return (long) output(in).elements() * (in.size(0) / groups) * kernel.area();
        }
    }

    /// The largest value of each window. Padding is never the largest.
    ///
    /// @param dilation the distance between a window's taps; 1 for a dense one
    /// @param ceilMode whether a last window that does not fit whole counts if it begins in the image or before
    record MaxPool2d(
            @Nullable String name, Extent kernel, Extent stride, Extent padding, Extent dilation, boolean ceilMode)
            implements Fixed {
        public MaxPool2d {
            Check.between("maxPool2d.kernel", kernel, 1, MAX_WINDOW);
            Check.between("maxPool2d.stride", stride, 1, MAX_WINDOW);
            Check.between("maxPool2d.padding", padding, 0, MAX_WINDOW);
            Check.between("maxPool2d.dilation", dilation, 1, MAX_WINDOW);
            Window.requireHalf("maxPool2d", padding, kernel);
        }

        /// Square, without padding.
        public MaxPool2d(@Nullable String name, int kernel, int stride) {
            this(name, Extent.square(kernel), Extent.square(stride), Extent.square(0), Extent.square(1), false);
        }

        /// The stride defaults to the kernel.
        @JsonCreator
        static MaxPool2d read(
                @Nullable String name,
                @Nullable Extent kernel,
                @Nullable Extent stride,
                @Nullable Extent padding,
                @Nullable Extent dilation,
                @Nullable Boolean ceilMode) {
            Extent size = Check.present("maxPool2d.kernel", kernel);
            return new MaxPool2d(
                    name,
                    size,
                    stride == null ? size : stride,
                    padding == null ? Extent.square(0) : padding,
                    dilation == null ? Extent.square(1) : dilation,
                    ceilMode != null && ceilMode);
        }

        public Windows windows() {
            return Windows.of(kernel, stride, dilation, padding).ceiling(ceilMode);
        }

        @Override
        public Shape output(Shape in) {
            Shape out = windows().over(in, in.size(0));
            windows().requirePixels(in, out);
            return out;
        }
    }

    /// The mean of each window.
    ///
    /// @param ceilMode whether a last window that does not fit whole counts if it begins in the image or before
    /// @param countIncludePad whether a window's zeros of the padding count as values; what lies beyond the padding
    ///     never does
    record AvgPool2d(
            @Nullable String name,
            Extent kernel,
            Extent stride,
            Extent padding,
            boolean ceilMode,
            boolean countIncludePad)
            implements Fixed {
        public AvgPool2d {
            Check.between("avgPool2d.kernel", kernel, 1, MAX_WINDOW);
            Check.between("avgPool2d.stride", stride, 1, MAX_WINDOW);
            Check.between("avgPool2d.padding", padding, 0, MAX_WINDOW);
            Window.requireHalf("avgPool2d", padding, kernel);
        }

        /// Square, without padding.
        public AvgPool2d(@Nullable String name, int kernel, int stride) {
            this(name, Extent.square(kernel), Extent.square(stride), Extent.square(0), false, true);
        }

        /// The stride defaults to the kernel; padding counts unless it is said not to.
        @JsonCreator
        static AvgPool2d read(
                @Nullable String name,
                @Nullable Extent kernel,
                @Nullable Extent stride,
                @Nullable Extent padding,
                @Nullable Boolean ceilMode,
                @Nullable Boolean countIncludePad) {
            Extent size = Check.present("avgPool2d.kernel", kernel);
            return new AvgPool2d(
                    name,
                    size,
                    stride == null ? size : stride,
                    padding == null ? Extent.square(0) : padding,
                    ceilMode != null && ceilMode,
                    countIncludePad == null || countIncludePad);
        }

        public Windows windows() {
            return Windows.of(kernel, stride, Extent.square(1), padding).ceiling(ceilMode);
        }

        @Override
        public Shape output(Shape in) {
            return windows().over(in, in.size(0));
        }
    }

    /// Means over windows that cover the image, whatever its size: window i of `out` along a side of `size` pixels
    /// reaches from floor(i size / out) to ceil((i + 1) size / out), not included. Neighbours may share pixels.
    ///
    /// @param out how many windows there are down the rows and along the columns
    record AdaptiveAvgPool2d(@Nullable String name, Extent out) implements Fixed {
        public AdaptiveAvgPool2d {
            Check.between("adaptiveAvgPool2d.out", out, 1, MAX_WINDOW);
        }

        /// As many both ways.
        public AdaptiveAvgPool2d(@Nullable String name, int out) {
            this(name, Extent.square(out));
        }

        @JsonCreator
        static AdaptiveAvgPool2d read(@Nullable String name, @Nullable Extent out) {
            return new AdaptiveAvgPool2d(name, Check.present("adaptiveAvgPool2d.out", out));
        }

        @Override
        public Shape output(Shape in) {
            Window.requireImage(in);
            return Shape.of(in.size(0), out.rows(), out.columns());
        }
    }

    /// Images of another size, made of pixels of the one that is given: each of the one before it, nearest to its
    /// place.
    ///
    /// @param size rows and columns it gives; null where a factor says it
    /// @param scaleFactor by how much it grows; what is left of a pixel is left out; null where a size is given
    /// @param mode `nearest`
    record Upsample(
            @Nullable String name,
            @Nullable Extent size,
            @Nullable Scale scaleFactor,
            String mode) implements Fixed {
        private static final int MAX_SIZE = 1 << 16;
        private static final double MIN_FACTOR = 0.001;
        private static final double MAX_FACTOR = 1024;

        public Upsample {
            Check.matching("upsample.mode", mode, "nearest", "nearest");
            if ((size == null) == (scaleFactor == null)) {
                throw new InvalidJobException("upsample has %s; give it one of size and scaleFactor"
                        .formatted(size == null ? "neither size nor scaleFactor" : "size and scaleFactor"));
            }
            if (size != null) {
                Check.between("upsample.size", size, 1, MAX_SIZE);
            }
            if (scaleFactor != null) {
                Check.between("upsample.scaleFactor", scaleFactor.rows(), MIN_FACTOR, MAX_FACTOR);
                Check.between("upsample.scaleFactor", scaleFactor.columns(), MIN_FACTOR, MAX_FACTOR);
            }
        }

        @JsonCreator
        static Upsample read(
                @Nullable String name, @Nullable Extent size, @Nullable Scale scaleFactor, @Nullable String mode) {
            return new Upsample(name, size, scaleFactor, mode == null ? "nearest" : mode);
        }

        @Override
        public Shape output(Shape in) {
            Window.requireImage(in);
            if (size != null) {
                return Shape.of(in.size(0), size.rows(), size.columns());
            }
            Scale factor = Objects.requireNonNull(scaleFactor);
            int rows = (int) (in.size(1) * factor.rows());
            int columns = (int) (in.size(2) * factor.columns());
            if (rows < 1 || columns < 1) {
                throw new ShapeMismatch(
                        "scaled by %s nothing is left of it; choose a larger scaleFactor".formatted(factor));
            }
            return Shape.of(in.size(0), rows, columns);
        }

        /// How the rows it gives are found in those it is given.
        public Nearest rows(Shape in) {
            return Nearest.of(in.size(1), output(in).size(1), scaleFactor == null ? null : scaleFactor.rows());
        }

        /// The same of columns.
        public Nearest columns(Shape in) {
            return Nearest.of(in.size(2), output(in).size(2), scaleFactor == null ? null : scaleFactor.columns());
        }
    }

    /// Normalises each channel by mean and variance over the batch; keeps running ones, which are used in evaluation.
    sealed interface BatchNorm extends LayerSpec {
        double DEFAULT_EPS = 1e-5;
        double DEFAULT_MOMENTUM = 0.1;

        /// Added to the variance.
        double eps();

        /// The weight of the newest batch in the running statistics.
        double momentum();

        /// Whether it trains a scale and a shift of each channel.
        boolean affine();

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

        @Override
        default Optional<MaskSpec> mask(Shape in) {
            return Optional.empty();
        }

        @Override
        default long multiplyAdds(Shape in) {
            return 0;
        }
    }

    /// Of vectors: each number is a channel.
    record BatchNorm1d(@Nullable String name, double eps, double momentum, boolean affine) implements BatchNorm {
        public BatchNorm1d {
            Norms.checkEps("batchNorm1d.eps", eps);
            Check.between("batchNorm1d.momentum", momentum, 0, 1);
        }

        @JsonCreator
        static BatchNorm1d read(
                @Nullable String name, @Nullable Double eps, @Nullable Double momentum, @Nullable Boolean affine) {
            return new BatchNorm1d(
                    name,
                    eps == null ? DEFAULT_EPS : eps,
                    momentum == null ? DEFAULT_MOMENTUM : momentum,
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

    /// Of images, over height and width, too.
    record BatchNorm2d(@Nullable String name, double eps, double momentum, boolean affine) implements BatchNorm {
        public BatchNorm2d {
            Norms.checkEps("batchNorm2d.eps", eps);
            Check.between("batchNorm2d.momentum", momentum, 0, 1);
        }

        /// With PyTorch's defaults.
        public BatchNorm2d(@Nullable String name) {
            this(name, DEFAULT_EPS, DEFAULT_MOMENTUM, true);
        }

        @JsonCreator
        static BatchNorm2d read(
                @Nullable String name, @Nullable Double eps, @Nullable Double momentum, @Nullable Boolean affine) {
            return new BatchNorm2d(
                    name,
                    eps == null ? DEFAULT_EPS : eps,
                    momentum == null ? DEFAULT_MOMENTUM : momentum,
                    affine == null || affine);
        }

        @Override
        public Shape output(Shape in) {
            Window.requireImage(in);
            return in;
        }
    }

    /// Multiplies each channel, of a vector each number, by a factor that is trained: what a deep residual network
    /// scales
    /// its branches with, at first to next to nothing.
    ///
    /// @param initValue the factors at first
    record LayerScale(@Nullable String name, double initValue) implements LayerSpec {
        public LayerScale {
            Check.between("layerScale.initValue", initValue, 0, 1000);
        }

        /// `initValue` defaults to 0.000001.
        @JsonCreator
        static LayerScale read(@Nullable String name, @Nullable Double initValue) {
            return new LayerScale(name, initValue == null ? 1e-6 : initValue);
        }

        @Override
        public Shape output(Shape in) {
            return in;
        }

        @Override
        public List<ParameterSpec> parameters(Shape in) {
            var init = new Init.Constant((float) initValue);
            return List.of(new ParameterSpec("gamma", Shape.of(in.size(0)), init, true));
        }

        @Override
        public boolean needsWholeBatch() {
            return false;
        }

        @Override
        public Optional<MaskSpec> mask(Shape in) {
            return Optional.empty();
        }

        @Override
        public long multiplyAdds(Shape in) {
            return 0;
        }
    }

    /// A function of each value by itself.
    sealed interface ActivationFunction extends Fixed {
        @Override
        default Shape output(Shape in) {
            return in;
        }
    }

    /// max(0, x).
    record Relu(@Nullable String name) implements ActivationFunction {}

    /// x above 0, `negativeSlope` x elsewhere.
    record LeakyRelu(@Nullable String name, double negativeSlope) implements ActivationFunction {
        public LeakyRelu {
            Check.within("leakyRelu.negativeSlope", negativeSlope, 0, 1000);
        }

        /// `negativeSlope` defaults to 0.01.
        @JsonCreator
        static LeakyRelu read(@Nullable String name, @Nullable Double negativeSlope) {
            return new LeakyRelu(name, negativeSlope == null ? 0.01 : negativeSlope);
        }
    }

    /// x Phi(x), where Phi is the normal distribution's function (Hendrycks and Gimpel 2016).
    ///
    /// @param approximate `none` for Phi itself, `tanh` for 0.5 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
    record Gelu(@Nullable String name, String approximate) implements ActivationFunction {
        public Gelu {
            Check.matching("gelu.approximate", approximate, "none|tanh", "none or tanh");
        }

        /// `approximate` defaults to `none`.
        @JsonCreator
        static Gelu read(@Nullable String name, @Nullable String approximate) {
            return new Gelu(name, approximate == null ? "none" : approximate);
        }

        public boolean byTanh() {
            return approximate.equals("tanh");
        }
    }

    /// The hyperbolic tangent.
    record Tanh(@Nullable String name) implements ActivationFunction {}

    /// 1 / (1 + e^-x).
    record Sigmoid(@Nullable String name) implements ActivationFunction {}

    /// x times its sigmoid.
    record Silu(@Nullable String name) implements ActivationFunction {}

    /// ln(1 + e^(beta x)) / beta; x itself where beta x is above `threshold`.
    record Softplus(@Nullable String name, double beta, double threshold) implements ActivationFunction {
        /// e to the power of it is a float32.
        private static final double MAX_THRESHOLD = 80;

        public Softplus {
            Check.between("softplus.beta", beta, 0.001, 1000);
            Check.between("softplus.threshold", threshold, 0, MAX_THRESHOLD);
        }

        /// `beta` defaults to 1, `threshold` to 20.
        @JsonCreator
        static Softplus read(@Nullable String name, @Nullable Double beta, @Nullable Double threshold) {
            return new Softplus(name, beta == null ? 1 : beta, threshold == null ? 20 : threshold);
        }
    }

    /// x min(max(x + 3, 0), 6) / 6.
    record Hardswish(@Nullable String name) implements ActivationFunction {}

    /// x, or the nearer bound where x is beyond one.
    sealed interface Clamp extends ActivationFunction {
        double minVal();

        double maxVal();
    }

    /// x between `minVal` and `maxVal`.
    record Hardtanh(@Nullable String name, double minVal, double maxVal) implements Clamp {
        private static final double MOST = 1000;

        public Hardtanh {
            Check.within("hardtanh.minVal", minVal, -MOST, MOST);
            Check.between("hardtanh.maxVal", maxVal, -MOST, MOST);
            if ((float) minVal >= (float) maxVal) {
                throw new InvalidJobException("hardtanh.minVal is %s, but hardtanh.maxVal is %s; it must be below it"
                        .formatted(minVal, maxVal));
            }
        }

        /// From -1 to 1 by default.
        @JsonCreator
        static Hardtanh read(@Nullable String name, @Nullable Double minVal, @Nullable Double maxVal) {
            return new Hardtanh(name, minVal == null ? -1 : minVal, maxVal == null ? 1 : maxVal);
        }
    }

    /// x between 0 and 6.
    record Relu6(@Nullable String name) implements Clamp {
        @Override
        public double minVal() {
            return 0;
        }

        @Override
        public double maxVal() {
            return 6;
        }
    }

    /// Gives what it is given: a place in a list, as `nn.Sequential` counts them.
    record Identity(@Nullable String name) implements Fixed {
        @Override
        public Shape output(Shape in) {
            return in;
        }
    }

    /// In training zeroes each element with probability `p` and scales the others by 1/(1-p); in evaluation nothing.
    record Dropout(@Nullable String name, double p) implements LayerSpec {
        public Dropout {
            Check.within("dropout.p", p, 0, 1);
        }

        /// `p` defaults to 0.5.
        @JsonCreator
        static Dropout read(@Nullable String name, @Nullable Double p) {
            return new Dropout(name, p == null ? 0.5 : p);
        }

        @Override
        public Shape output(Shape in) {
            return in;
        }

        @Override
        public boolean needsWholeBatch() {
            return false;
        }

        @Override
        public Optional<MaskSpec> mask(Shape in) {
            return p == 0 ? Optional.empty() : Optional.of(new MaskSpec(p, in.elements()));
        }

        @Override
        public long multiplyAdds(Shape in) {
            return 0;
        }
    }

    /// As [Dropout], but each channel of a sample as a whole: one draw a channel.
    record Dropout2d(@Nullable String name, double p) implements LayerSpec {
        public Dropout2d {
            Check.within("dropout2d.p", p, 0, 1);
        }

        /// `p` defaults to 0.5.
        @JsonCreator
        static Dropout2d read(@Nullable String name, @Nullable Double p) {
            return new Dropout2d(name, p == null ? 0.5 : p);
        }

        @Override
        public Shape output(Shape in) {
            Window.requireImage(in);
            return in;
        }

        @Override
        public boolean needsWholeBatch() {
            return false;
        }

        @Override
        public Optional<MaskSpec> mask(Shape in) {
            return p == 0 ? Optional.empty() : Optional.of(new MaskSpec(p, in.size(0)));
        }

        @Override
        public long multiplyAdds(Shape in) {
            return 0;
        }
    }

    /// All dimensions of a sample become one, in (channel, row, column) order.
    record Flatten(@Nullable String name) implements Fixed {
        @Override
        public Shape output(Shape in) {
            return Shape.of(in.elements());
        }
    }

    /// x W^T + b; weight (out, in).
    record Linear(@Nullable String name, int out, boolean bias) implements LayerSpec {
        public Linear {
            Check.between("linear.out", out, 1, MAX_WIDTH);
        }

        @JsonCreator
        static Linear read(@Nullable String name, @Nullable Integer out, @Nullable Boolean bias) {
            return new Linear(name, Check.present("linear.out", out), bias == null || bias);
        }

        @Override
        public Shape output(Shape in) {
            if (in.rank() != 1) {
                throw new ShapeMismatch("a linear layer takes one dimension; put a flatten layer before it");
            }
            return Shape.of(out);
        }

        @Override
        public List<ParameterSpec> parameters(Shape in) {
            return Window.weightAndBias(Shape.of(out, in.size(0)), in.size(0), bias);
        }

        @Override
        public boolean needsWholeBatch() {
            return false;
        }

        @Override
        public Optional<MaskSpec> mask(Shape in) {
            return Optional.empty();
        }

        @Override
        public long multiplyAdds(Shape in) {
            return (long) out * in.size(0);
        }
    }

    /// layers(x) + shortcut(x), where an empty shortcut is x itself. Names of the layers begin with this one's,
    /// those of the shortcut with this one's and `shortcut`.
    record Residual(@Nullable String name, List<LayerSpec> layers, List<LayerSpec> shortcut) implements LayerSpec {
        public Residual {
            layers = Check.complete("residual.layers", layers);
            shortcut = Check.complete("residual.shortcut", shortcut);
            if (layers.isEmpty()) {
                throw new InvalidJobException("residual.layers has 0 layers; give it at least 1");
            }
        }

        /// The shortcut defaults to x itself.
        @JsonCreator
        static Residual read(
                @Nullable String name, @Nullable List<LayerSpec> layers, @Nullable List<LayerSpec> shortcut) {
            return new Residual(
                    name, Check.present("residual.layers", layers), shortcut == null ? List.of() : shortcut);
        }

        @Override
        public List<Branch> branches() {
            return List.of(new Branch("layers", "", layers), new Branch("shortcut", "shortcut.", shortcut));
        }

        @Override
        public Shape output(Shape in) {
            Shape sum = Branch.output(layers, in);
            Shape other = Branch.output(shortcut, in);
            if (!sum.equals(other)) {
                throw new ShapeMismatch(
                        "its layers give %s, but its shortcut gives %s; they are added, so they must give the same"
                                .formatted(sum, other));
            }
            return sum;
        }

        @Override
        public List<ParameterSpec> parameters(Shape in) {
            return branches().stream()
                    .flatMap(branch -> branch.parameters(in).stream())
                    .toList();
        }

        @Override
        public boolean needsWholeBatch() {
            return false;
        }

        @Override
        public Optional<MaskSpec> mask(Shape in) {
            return Optional.empty();
        }

        @Override
        public long multiplyAdds(Shape in) {
            return 0;
        }
    }
}
