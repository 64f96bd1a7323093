package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import io.trainyard.spec.ParameterSpec.Init;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One layer of a network, with the name and semantics of PyTorch's `torch.nn`. Input sizes are not written but
/// inferred from the dataset ([Network]).
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Conv2d.class, name = "conv2d"),
    @JsonSubTypes.Type(value = Pooling.MaxPool2d.class, name = "maxPool2d"),
    @JsonSubTypes.Type(value = Pooling.AvgPool2d.class, name = "avgPool2d"),
    @JsonSubTypes.Type(value = Pooling.AdaptiveAvgPool2d.class, name = "adaptiveAvgPool2d"),
    @JsonSubTypes.Type(value = Upsample.class, name = "upsample"),
    @JsonSubTypes.Type(value = BatchNorm.BatchNorm1d.class, name = "batchNorm1d"),
    @JsonSubTypes.Type(value = BatchNorm.BatchNorm2d.class, name = "batchNorm2d"),
    @JsonSubTypes.Type(value = SampleNorm.GroupNorm.class, name = "groupNorm"),
    @JsonSubTypes.Type(value = SampleNorm.LayerNorm.class, name = "layerNorm"),
    @JsonSubTypes.Type(value = SampleNorm.LayerNorm2d.class, name = "layerNorm2d"),
    @JsonSubTypes.Type(value = LayerSpec.LayerScale.class, name = "layerScale"),
    @JsonSubTypes.Type(value = ActivationFunction.Relu.class, name = "relu"),
    @JsonSubTypes.Type(value = ActivationFunction.LeakyRelu.class, name = "leakyRelu"),
    @JsonSubTypes.Type(value = ActivationFunction.Gelu.class, name = "gelu"),
    @JsonSubTypes.Type(value = ActivationFunction.Tanh.class, name = "tanh"),
    @JsonSubTypes.Type(value = ActivationFunction.Sigmoid.class, name = "sigmoid"),
    @JsonSubTypes.Type(value = ActivationFunction.Silu.class, name = "silu"),
    @JsonSubTypes.Type(value = ActivationFunction.Softplus.class, name = "softplus"),
    @JsonSubTypes.Type(value = ActivationFunction.Hardswish.class, name = "hardswish"),
    @JsonSubTypes.Type(value = ActivationFunction.Hardtanh.class, name = "hardtanh"),
    @JsonSubTypes.Type(value = ActivationFunction.Relu6.class, name = "relu6"),
    @JsonSubTypes.Type(value = LayerSpec.Identity.class, name = "identity"),
    @JsonSubTypes.Type(value = DropoutLayer.Dropout.class, name = "dropout"),
    @JsonSubTypes.Type(value = DropoutLayer.Dropout2d.class, name = "dropout2d"),
    @JsonSubTypes.Type(value = LayerSpec.Flatten.class, name = "flatten"),
    @JsonSubTypes.Type(value = LayerSpec.Linear.class, name = "linear"),
    @JsonSubTypes.Type(value = Residual.class, name = "residual"),
    @JsonSubTypes.Type(value = Concat.class, name = "concat"),
    @JsonSubTypes.Type(value = Gate.class, name = "gate"),
})
@JsonInclude(JsonInclude.Include.NON_NULL)
public sealed interface LayerSpec
        permits ActivationFunction,
                Pooling,
                Upsample,
                LayerSpec.Flatten,
                LayerSpec.Identity,
                Conv2d,
                BatchNorm,
                SampleNorm,
                LayerSpec.LayerScale,
                DropoutLayer,
                LayerSpec.Linear,
                Join {
    int MAX_WIDTH = 1 << 20;
    int MAX_WINDOW = 1024;

    /// The layer's name in `state_dict()`; null for its index in its list, as in `nn.Sequential`. The name of a
    /// nested layer is prefixed by that of the enclosing one.
    @Nullable
    String name();

    /// The `type` of this kind of layer in JSON.
    default String type() {
        return Arrays.stream(LayerSpec.class.getAnnotation(JsonSubTypes.class).value())
                .filter(type -> type.value() == getClass())
                .map(JsonSubTypes.Type::name)
                .findFirst()
                .orElseThrow();
    }

    /// The layer sequences inside this layer; empty for most.
    default List<Branch> sequences() {
        return List.of();
    }

    /// The output shape for one sample of shape `in`.
    ///
    /// @throws ShapeMismatch if the layer does not accept `in`; the message has the accepted shapes
    Shape output(Shape in);

    /// The layer's parameters and buffers for samples of shape `in`, in `state_dict()` order, with names relative to
    /// the layer.
    default List<ParameterSpec> parameters(Shape in) {
        return List.of();
    }

    /// Whether training needs the whole batch at once, because the layer normalizes each channel by the mean and
    /// variance of the batch. Nested layers are not considered, here and below.
    default boolean needsWholeBatch() {
        return false;
    }

    /// The random mask in training, for samples of shape `in`; empty for layers without one.
    default Optional<MaskSpec> mask(Shape in) {
        return Optional.empty();
    }

    /// Multiply-adds of the forward pass of one sample of shape `in`, in convolutions and matrix products.
    default long multiplyAdds(Shape in) {
        return 0;
    }

    /// Multiplies each channel, or each feature of a vector, by a trained factor. Deep residual networks scale
    /// their branches with it, initially close to zero.
    ///
    /// @param initValue initial value of the factors
    record LayerScale(
            @Nullable String name, @Default("1e-6") double initValue) implements LayerSpec {
        public LayerScale {
            Check.between("layerScale.initValue", initValue, 0, 1000);
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
    }

    /// Returns its input. It takes an index in a list, as `nn.Sequential` counts them.
    record Identity(@Nullable String name) implements LayerSpec {
        @Override
        public Shape output(Shape in) {
            return in;
        }
    }

    /// Flattens a sample to one dimension, in (channel, row, column) order.
    record Flatten(@Nullable String name) implements LayerSpec {
        @Override
        public Shape output(Shape in) {
            return Shape.of(in.elements());
        }
    }

    /// x W^T + b; weight (out, in).
    record Linear(
            @Nullable String name,
            @Required("linear.out") int out,
            @Default("true") boolean bias) implements LayerSpec {
        public Linear {
            Check.between("linear.out", out, 1, MAX_WIDTH);
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
            return ParameterSpec.weightAndBias(Shape.of(out, in.size(0)), in.size(0), bias);
        }

        @Override
        public long multiplyAdds(Shape in) {
            return (long) out * in.size(0);
        }
    }
}
