package io.trainyard.export.onnx;

import static io.trainyard.export.onnx.Graph.attribute;
import static io.trainyard.export.onnx.Graph.attributes;

import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.protobuf.ProtobufWriter;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.ActivationFunction.Clamp;
import io.trainyard.spec.ActivationFunction.Gelu;
import io.trainyard.spec.ActivationFunction.Hardswish;
import io.trainyard.spec.ActivationFunction.LeakyRelu;
import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.ActivationFunction.Sigmoid;
import io.trainyard.spec.ActivationFunction.Silu;
import io.trainyard.spec.ActivationFunction.Softplus;
import io.trainyard.spec.ActivationFunction.Tanh;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Concat;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.Gate;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Identity;
import io.trainyard.spec.LayerSpec.LayerScale;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.Nearest;
import io.trainyard.spec.Network.Layer;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SampleNorm.LayerNorm;
import io.trainyard.spec.SampleNorm.LayerNorm2d;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Upsample;
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/// Adds layers to a graph, as they evaluate.
///
/// @param parameters of the network
record LayerNodes(Graph graph, Parameters parameters) {
    private static final double EXACT_SOFTPLUS = 20; // beyond, ln(1 + e^x) is x in float32

    /// @param input name of the first layer's input
    /// @return name of the last layer's output
    String add(List<Layer> layers, String input) {
        String value = input;
        for (Layer layer : layers) {
            value = add(layer, value);
        }
        return value;
    }

    private String add(Layer layer, String in) {
        List<String> branches =
                layer.branches().stream().map(branch -> add(branch, in)).toList();
        graph.layer(layer.name());
        return switch (layer.spec()) {
            case Linear _ -> graph.node("Gemm", withWeights(layer, in), attribute("transB", 1));
            case Conv2d conv -> conv(conv, layer, in);
            case MaxPool2d pool -> maxPool(pool, layer, in);
            case AvgPool2d pool -> avgPool(pool, layer, in);
            case AdaptiveAvgPool2d _ -> adaptive(layer, in);
            case Upsample upsample -> upsample(upsample, layer, in);
            case BatchNorm norm -> batchNorm(norm, layer, in);
            case GroupNorm norm -> groupNorm(norm, layer, in);
            case LayerNorm norm -> layerNorm(norm, layer, in);
            case LayerNorm2d norm -> layerNorm2d(norm, layer, in);
            case LayerScale _ ->
                graph.node("Mul", List.of(in, parameter(layer, "gamma", List.of(perChannel(layer.in())))));
            case ActivationFunction function -> activation(function, in);
            case Identity _, DropoutLayer _ -> in;
            case Flatten _ -> layer.in().rank() == 1 ? in : graph.node("Flatten", List.of(in), attribute("axis", 1));
            case Residual _ -> graph.node("Add", branches);
            case Concat _ -> graph.node("Concat", branches, attribute("axis", 1));
            case Gate _ -> gate(layer, branches);
        };
    }

    /// The sizes of a factor for each channel, which multiplies samples of this shape.
    static Integer[] perChannel(Shape sample) {
        Integer[] sizes = new Integer[sample.rank()];
        Arrays.fill(sizes, 1);
        sizes[0] = sample.size(0);
        return sizes;
    }

    private String parameter(Layer layer, String name, List<Integer> sizes) {
        String full = layer.name() + "." + name;
        Tensor tensor = Objects.requireNonNull(parameters.tensors().get(full), full);
        return graph.constant(full, parameters.floats(full, tensor.shape()), sizes);
    }

    private String parameter(Layer layer, String name) {
        String full = layer.name() + "." + name;
        Shape shape =
                Objects.requireNonNull(parameters.tensors().get(full), full).shape();
        return parameter(layer, name, shape.sizes());
    }

    private static boolean has(Layer layer, String name) {
        String full = layer.name() + "." + name;
        return layer.parameters().stream().map(ParameterSpec::name).anyMatch(full::equals);
    }

    /// The input, then weight and bias if the layer has them.
    private List<String> withWeights(Layer layer, String in) {
        List<String> inputs = new ArrayList<>(List.of(in));
        for (String name : List.of("weight", "bias")) {
            if (has(layer, name)) {
                inputs.add(parameter(layer, name));
            }
        }
        return inputs;
    }

    private String conv(Conv2d conv, Layer layer, String in) {
        Windows.Side rows = conv.windows().rows();
        Windows.Side columns = conv.windows().columns();
        List<ProtobufWriter> all = new ArrayList<>(windows(conv.windows(), rows.after(), columns.after()));
        all.add(attributes("dilations", rows.dilation(), columns.dilation()));
        all.add(attribute("group", conv.groups()));
        return graph.node("Conv", withWeights(layer, in), all.toArray(ProtobufWriter[]::new));
    }

    private static List<ProtobufWriter> windows(Windows windows, int rowsAfter, int columnsAfter) {
        Windows.Side rows = windows.rows();
        Windows.Side columns = windows.columns();
        return List.of(
                attributes("kernel_shape", rows.taps(), columns.taps()),
                attributes("strides", rows.stride(), columns.stride()),
                attributes("pads", rows.before(), columns.before(), rowsAfter, columnsAfter));
    }

    /// Without ONNX's ceil mode, whose windows differ between versions: the padding completes the last windows.
    private String maxPool(MaxPool2d pool, Layer layer, String in) {
        Windows.Side rows = pool.windows().rows();
        Windows.Side columns = pool.windows().columns();
        int rowsAfter = needed(rows, layer, 1);
        int columnsAfter = needed(columns, layer, 2);
        boolean narrow = rowsAfter < rows.taps() && columnsAfter < columns.taps(); // ONNX Runtime takes no others
        String padded = narrow
                ? in
                : graph.node(
                        "Pad",
                        List.of(
                                in,
                                graph.integers(0, 0, rows.before(), columns.before(), 0, 0, rowsAfter, columnsAfter),
                                graph.constant(Double.NEGATIVE_INFINITY)));
        return graph.node(
                "MaxPool",
                List.of(padded),
                attributes("kernel_shape", rows.taps(), columns.taps()),
                attributes("strides", rows.stride(), columns.stride()),
                attributes("dilations", rows.dilation(), columns.dilation()),
                narrow
                        ? attributes("pads", rows.before(), columns.before(), rowsAfter, columnsAfter)
                        : attributes("pads", 0, 0, 0, 0));
    }

    private static int needed(Windows.Side side, Layer layer, int dimension) {
        return side.needed(layer.in().size(dimension), layer.out().size(dimension));
    }

    /// Positions beyond the padding do not count: the means of windows that have some are corrected.
    private String avgPool(AvgPool2d pool, Layer layer, String in) {
        Windows.Side rows = pool.windows().rows();
        Windows.Side columns = pool.windows().columns();
        int rowsAfter = needed(rows, layer, 1);
        int columnsAfter = needed(columns, layer, 2);
        List<ProtobufWriter> all = new ArrayList<>(windows(pool.windows(), rowsAfter, columnsAfter));
        all.add(attribute("count_include_pad", pool.countIncludePad() ? 1 : 0));
        String means = graph.node("AveragePool", List.of(in), all.toArray(ProtobufWriter[]::new));
        if (!pool.countIncludePad() || (rowsAfter == rows.after() && columnsAfter == columns.after())) {
            return means;
        }
        String corrected = graph.node("Mul", List.of(means, correction(rows, layer, 1)));
        return graph.node("Mul", List.of(corrected, correction(columns, layer, 2)));
    }

    private String correction(Windows.Side side, Layer layer, int dimension) {
        int size = layer.in().size(dimension);
        float[] factors = new float[layer.out().size(dimension)];
        for (int i = 0; i < factors.length; i++) {
            int counted = Math.min(side.taps(), size + side.after() - side.begin(i));
            factors[i] = (float) side.taps() / counted;
        }
        return dimension == 1 ? graph.constant(factors, factors.length, 1) : graph.constant(factors, 1, factors.length);
    }

    /// Windows of different sizes are products with matrices.
    private String adaptive(Layer layer, String in) {
        int[] sizes = {layer.in().size(1), layer.in().size(2)};
        int[] counts = {layer.out().size(1), layer.out().size(2)};
        if (sizes[0] % counts[0] == 0 && sizes[1] % counts[1] == 0) {
            int rows = sizes[0] / counts[0];
            int columns = sizes[1] / counts[1];
            return graph.node(
                    "AveragePool",
                    List.of(in),
                    attributes("kernel_shape", rows, columns),
                    attributes("strides", rows, columns));
        }
        float[] left = new float[counts[0] * sizes[0]];
        fill(sizes[0], counts[0], (window, pixel, share) -> left[window * sizes[0] + pixel] = share);
        float[] right = new float[sizes[1] * counts[1]];
        fill(sizes[1], counts[1], (window, pixel, share) -> right[pixel * counts[1] + window] = share);
        String rows = graph.node("MatMul", List.of(graph.constant(left, counts[0], sizes[0]), in));
        return graph.node("MatMul", List.of(rows, graph.constant(right, sizes[1], counts[1])));
    }

    private interface Share {
        void set(int window, int pixel, float share);
    }

    private static void fill(int size, int count, Share share) {
        for (int i = 0; i < count; i++) {
            int from = (int) ((long) i * size / count);
            int to = (int) Math.ceilDiv((i + 1L) * size, count);
            for (int pixel = from; pixel < to; pixel++) {
                share.set(i, pixel, 1f / (to - from));
            }
        }
    }

    /// By positions, because ONNX's Resize rounds differently from PyTorch.
    private String upsample(Upsample upsample, Layer layer, String in) {
        Nearest rows = upsample.rows(layer.in());
        Nearest columns = upsample.columns(layer.in());
        String wide = gather(in, 2, layer.out().size(1), rows::source);
        return gather(wide, 3, layer.out().size(2), columns::source);
    }

    private String gather(String in, int axis, int count, IntUnaryOperator source) {
        String positions = graph.integers(
                IntStream.range(0, count).map(source).asLongStream().toArray());
        return graph.node("Gather", List.of(in, positions), attribute("axis", axis));
    }

    private String batchNorm(BatchNorm norm, Layer layer, String in) {
        List<String> inputs = scaled(norm.affine(), layer, in, layer.in().size(0));
        inputs.add(parameter(layer, "running_mean"));
        inputs.add(parameter(layer, "running_var"));
        return graph.node("BatchNormalization", inputs, attribute("epsilon", (float) norm.eps()));
    }

    /// The input, then a scale and a shift, which are 1 and 0 for layers without.
    private List<String> scaled(boolean affine, Layer layer, String in, int size) {
        return affine
                ? withWeights(layer, in)
                : new ArrayList<>(List.of(in, graph.filled(1, size), graph.filled(0, size)));
    }

    private String groupNorm(GroupNorm norm, Layer layer, String in) {
        int groups = norm.groups();
        String grouped = graph.node("Reshape", List.of(in, graph.integers(0, groups, -1)));
        String normalized = graph.node(
                "InstanceNormalization",
                List.of(grouped, graph.filled(1, groups), graph.filled(0, groups)),
                attribute("epsilon", (float) norm.eps()));
        String reshaped = graph.node("Reshape", List.of(normalized, sizes(layer.in())));
        if (!norm.affine()) {
            return reshaped;
        }
        List<Integer> sizes = List.of(perChannel(layer.in()));
        String scaled = graph.node("Mul", List.of(reshaped, parameter(layer, "weight", sizes)));
        return graph.node("Add", List.of(scaled, parameter(layer, "bias", sizes)));
    }

    /// A batch of samples of this shape.
    private String sizes(Shape sample) {
        return graph.integers(
                IntStream.concat(IntStream.of(-1), sample.sizes().stream().mapToInt(size -> size))
                        .asLongStream()
                        .toArray());
    }

    private String layerNorm(LayerNorm norm, Layer layer, String in) {
        Shape set = norm.parameterShape(layer.in());
        List<String> inputs;
        if (norm.affine()) {
            inputs = withWeights(layer, in);
        } else {
            float[] ones = new float[set.elements()];
            Arrays.fill(ones, 1);
            inputs = List.of(in, graph.constant(ones, set.sizes().toArray(Integer[]::new)));
        }
        return graph.node(
                "LayerNormalization", inputs, attribute("axis", -set.rank()), attribute("epsilon", (float) norm.eps()));
    }

    private String layerNorm2d(LayerNorm2d norm, Layer layer, String in) {
        String last = graph.node("Transpose", List.of(in), attributes("perm", 0, 2, 3, 1));
        List<String> inputs = scaled(norm.affine(), layer, last, layer.in().size(0));
        String normalized = graph.node(
                "LayerNormalization", inputs, attribute("axis", -1), attribute("epsilon", (float) norm.eps()));
        return graph.node("Transpose", List.of(normalized), attributes("perm", 0, 3, 1, 2));
    }

    private String gate(Layer layer, List<String> branches) {
        String factors = branches.getLast();
        if (layer.in().rank() > 1) {
            factors = graph.node("Reshape", List.of(factors, sizes(Shape.of(perChannel(layer.in())))));
        }
        return graph.node("Mul", List.of(branches.getFirst(), factors));
    }

    private String activation(ActivationFunction function, String in) {
        return switch (function) {
            case Relu _ -> graph.node("Relu", List.of(in));
            case LeakyRelu leaky ->
                graph.node("LeakyRelu", List.of(in), attribute("alpha", (float) leaky.negativeSlope()));
            case Gelu gelu -> gelu.byTanh() ? geluByTanh(in) : gelu(in);
            case Tanh _ -> graph.node("Tanh", List.of(in));
            case Sigmoid _ -> graph.node("Sigmoid", List.of(in));
            case Silu _ -> graph.node("Mul", List.of(in, graph.node("Sigmoid", List.of(in))));
            case Softplus softplus -> softplus(softplus, in);
            case Hardswish _ -> graph.node("HardSwish", List.of(in));
            case Clamp clamp ->
                graph.node("Clip", List.of(in, graph.constant(clamp.minVal()), graph.constant(clamp.maxVal())));
        };
    }

    private String with(String operator, String in, double constant) {
        return graph.node(operator, List.of(in, graph.constant(constant)));
    }

    private String gelu(String in) {
        String erf = graph.node("Erf", List.of(with("Mul", in, Math.sqrt(0.5))));
        return graph.node("Mul", List.of(with("Mul", in, 0.5), with("Add", erf, 1)));
    }

    private String geluByTanh(String in) {
        String square = graph.node("Mul", List.of(in, in));
        String factor = with("Add", with("Mul", square, 0.044715), 1);
        String tanh = graph.node(
                "Tanh", List.of(with("Mul", graph.node("Mul", List.of(in, factor)), Math.sqrt(2 / Math.PI))));
        return graph.node("Mul", List.of(with("Mul", in, 0.5), with("Add", tanh, 1)));
    }

    private String softplus(Softplus softplus, String in) {
        String scaled = with("Mul", in, softplus.beta());
        String smooth = with("Div", graph.node("Softplus", List.of(scaled)), softplus.beta());
        return softplus.threshold() >= EXACT_SOFTPLUS
                ? smooth
                : graph.node("Where", List.of(with("Greater", scaled, softplus.threshold()), in, smooth));
    }
}
