package io.trainyard.export.onnx;

import static io.trainyard.export.onnx.Graph.attribute;
import static io.trainyard.export.onnx.Graph.attributes;

import io.trainyard.device.Parameters;
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
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SampleNorm.LayerNorm;
import io.trainyard.spec.SampleNorm.LayerNorm2d;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Upsample;
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
            case LayerScale _ -> graph.node("Mul", List.of(in, parameter(layer, "gamma", perChannel(layer.in()))));
            case ActivationFunction function -> activation(function, in);
            case Identity _, DropoutLayer _ -> in;
            case Flatten _ -> layer.in().rank() == 1 ? in : graph.node("Flatten", List.of(in), attribute("axis", 1));
            case Residual _ -> graph.node("Add", branches);
            case Concat _ -> graph.node("Concat", branches, attribute("axis", 1));
            case Gate _ -> gate(layer, branches);
        };
    }

    /// The sizes of a factor for each channel, which multiplies samples of this shape.
    static List<Integer> perChannel(Shape sample) {
        List<Integer> sizes = new ArrayList<>(Collections.nCopies(sample.rank(), 1));
        sizes.set(0, sample.size(0));
        return sizes;
    }

    private String parameter(Layer layer, String name, List<Integer> sizes) {
        return graph.constant(
                layer.name() + "." + name,
                parameters.floats(layer.name() + "." + name, shape(layer, name).orElseThrow()),
                sizes);
    }

    private String parameter(Layer layer, String name) {
        return parameter(layer, name, shape(layer, name).orElseThrow().sizes());
    }

    private static Optional<Shape> shape(Layer layer, String name) {
        String full = layer.name() + "." + name;
        return layer.parameters().stream()
                .filter(spec -> spec.name().equals(full))
                .map(ParameterSpec::shape)
                .findFirst();
    }

    /// The input, then weight and bias if the layer has them.
    private List<String> withWeights(Layer layer, String in) {
        List<String> inputs = new ArrayList<>(List.of(in));
        Stream.of("weight", "bias")
                .filter(name -> shape(layer, name).isPresent())
                .forEach(name -> inputs.add(parameter(layer, name)));
        return inputs;
    }

    private String conv(Conv2d conv, Layer layer, String in) {
        Windows windows = conv.windows();
        long[] pads = pads(windows, windows.rows().after(), windows.columns().after());
        return windows(
                "Conv", withWeights(layer, in), windows, pads, dilations(windows), attribute("group", conv.groups()));
    }

    private String windows(String operator, List<String> inputs, Windows windows, long[] pads, ProtobufWriter... more) {
        List<ProtobufWriter> all = new ArrayList<>(List.of(more));
        all.add(attributes(
                "kernel_shape", windows.rows().taps(), windows.columns().taps()));
        all.add(attributes("strides", windows.rows().stride(), windows.columns().stride()));
        all.add(attributes("pads", pads));
        return graph.node(operator, inputs, all.toArray(ProtobufWriter[]::new));
    }

    private static ProtobufWriter dilations(Windows windows) {
        return attributes(
                "dilations", windows.rows().dilation(), windows.columns().dilation());
    }

    private static long[] pads(Windows windows, int rowsAfter, int columnsAfter) {
        return new long[] {windows.rows().before(), windows.columns().before(), rowsAfter, columnsAfter};
    }

    /// Without ONNX's ceil mode, whose windows differ between versions: the padding completes the last windows.
    private static long[] completing(Windows windows, Layer layer) {
        return pads(
                windows,
                windows.rows().needed(layer.in().size(1), layer.out().size(1)),
                windows.columns().needed(layer.in().size(2), layer.out().size(2)));
    }

    private String maxPool(MaxPool2d pool, Layer layer, String in) {
        Windows windows = pool.windows();
        long[] pads = completing(windows, layer);
        if (pads[2] < windows.rows().taps() && pads[3] < windows.columns().taps()) {
            return windows("MaxPool", List.of(in), windows, pads, dilations(windows));
        }
        String sides = graph.integers(0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]); // a pool takes no wider padding
        String padded = graph.node("Pad", List.of(in, sides, graph.constant(Double.NEGATIVE_INFINITY)));
        return windows("MaxPool", List.of(padded), windows, new long[pads.length], dilations(windows));
    }

    /// Positions beyond the padding do not count: the means of windows that have some are corrected.
    private String avgPool(AvgPool2d pool, Layer layer, String in) {
        Windows.Side rows = pool.windows().rows();
        Windows.Side columns = pool.windows().columns();
        long[] pads = completing(pool.windows(), layer);
        ProtobufWriter counted = attribute("count_include_pad", pool.countIncludePad() ? 1 : 0);
        String means = windows("AveragePool", List.of(in), pool.windows(), pads, counted);
        if (!pool.countIncludePad() || (pads[2] == rows.after() && pads[3] == columns.after())) {
            return means;
        }
        float[] byRow = correction(rows, layer, 1);
        float[] byColumn = correction(columns, layer, 2);
        String corrected = graph.node("Mul", List.of(means, graph.constant(byRow, List.of(byRow.length, 1))));
        return graph.node("Mul", List.of(corrected, graph.constant(byColumn, List.of(byColumn.length))));
    }

    private static float[] correction(Windows.Side side, Layer layer, int dimension) {
        int end = layer.in().size(dimension) + side.after();
        float[] factors = new float[layer.out().size(dimension)];
        for (int i = 0; i < factors.length; i++) {
            factors[i] = (float) side.taps() / Math.min(side.taps(), end - side.begin(i));
        }
        return factors;
    }

    /// Windows of different sizes are products with matrices.
    private String adaptive(Layer layer, String in) {
        int rows = layer.in().size(1);
        int columns = layer.in().size(2);
        int outRows = layer.out().size(1);
        int outColumns = layer.out().size(2);
        if (rows % outRows == 0 && columns % outColumns == 0) {
            return graph.node(
                    "AveragePool",
                    List.of(in),
                    attributes("kernel_shape", rows / outRows, columns / outColumns),
                    attributes("strides", rows / outRows, columns / outColumns));
        }
        String left = graph.constant(shares(rows, outRows, rows, 1), List.of(outRows, rows));
        String right = graph.constant(shares(columns, outColumns, 1, outColumns), List.of(columns, outColumns));
        return graph.node("MatMul", List.of(graph.node("MatMul", List.of(left, in)), right));
    }

    /// The share of each pixel in each window, at `window * windowStep + pixel * pixelStep`.
    private static float[] shares(int size, int count, int windowStep, int pixelStep) {
        float[] shares = new float[count * size];
        for (int i = 0; i < count; i++) {
            int from = (int) ((long) i * size / count);
            int to = (int) Math.ceilDiv((i + 1L) * size, count);
            for (int pixel = from; pixel < to; pixel++) {
                shares[i * windowStep + pixel * pixelStep] = 1f / (to - from);
            }
        }
        return shares;
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
        List<String> inputs =
                scaled(norm.affine(), layer, in, Shape.of(layer.in().size(0)));
        inputs.add(parameter(layer, "running_mean"));
        inputs.add(parameter(layer, "running_var"));
        return graph.node("BatchNormalization", inputs, attribute("epsilon", (float) norm.eps()));
    }

    /// The input, then a scale and a shift, which are 1 and 0 for layers without.
    private List<String> scaled(boolean affine, Layer layer, String in, Shape set) {
        return affine
                ? withWeights(layer, in)
                : new ArrayList<>(List.of(in, graph.filled(1, set), graph.filled(0, set)));
    }

    private String groupNorm(GroupNorm norm, Layer layer, String in) {
        String grouped = graph.node("Reshape", List.of(in, graph.integers(0, norm.groups(), -1)));
        String normalized = graph.node(
                "InstanceNormalization",
                scaled(false, layer, grouped, Shape.of(norm.groups())),
                attribute("epsilon", (float) norm.eps()));
        String reshaped = reshape(normalized, layer.in().sizes());
        if (!norm.affine()) {
            return reshaped;
        }
        List<Integer> sizes = perChannel(layer.in());
        String scaled = graph.node("Mul", List.of(reshaped, parameter(layer, "weight", sizes)));
        return graph.node("Add", List.of(scaled, parameter(layer, "bias", sizes)));
    }

    /// @param sizes of a sample
    private String reshape(String in, List<Integer> sizes) {
        LongStream all = LongStream.concat(LongStream.of(-1), sizes.stream().mapToLong(size -> size));
        return graph.node("Reshape", List.of(in, graph.integers(all.toArray())));
    }

    /// Normalizes over the last dimensions.
    private String layerNorm(SampleNorm norm, Layer layer, String in) {
        Shape set = norm.parameterShape(layer.in());
        return graph.node(
                "LayerNormalization",
                scaled(norm.affine(), layer, in, set),
                attribute("axis", -set.rank()),
                attribute("epsilon", (float) norm.eps()));
    }

    private String layerNorm2d(LayerNorm2d norm, Layer layer, String in) {
        String channelsLast = graph.node("Transpose", List.of(in), attributes("perm", 0, 2, 3, 1));
        return graph.node("Transpose", List.of(layerNorm(norm, layer, channelsLast)), attributes("perm", 0, 3, 1, 2));
    }

    private String gate(Layer layer, List<String> branches) {
        String factors = branches.getLast();
        if (layer.in().rank() > 1) {
            factors = reshape(factors, perChannel(layer.in()));
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
