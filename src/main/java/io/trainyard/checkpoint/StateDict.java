package io.trainyard.checkpoint;

import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Loads a model into a network, as `load_state_dict` does. Names of torchvision's and timm's ResNet,
/// MobileNetV2, VGG and ConvNeXt are mapped to those of the same networks here, which are torchvision's
/// except in shortcuts and layer scales.
public final class StateDict {
    private static final int MAX_NAMES = 10;

    /// The first block of each stage of a MobileNetV2, in `features`.
    private static final int[] MOBILENET_STAGES = {1, 2, 4, 7, 11, 14, 17};

    private static final Map<String, String> MOBILENET_LAYERS =
            Map.of("conv_pw", "0.0", "bn1", "0.1", "conv_dw", "1.0", "bn2", "1.1", "conv_pwl", "2", "bn3", "3");
    private static final Map<String, String> CONVNEXT_LAYERS =
            Map.of("conv_dw", "block.0.", "norm", "block.2.", "mlp.fc1", "block.3.", "mlp.fc2", "block.5.");

    private record Rule(Pattern from, Function<MatchResult, String> to) {
        static Rule of(String from, String to) {
            return new Rule(
                    Pattern.compile(from),
                    match -> to.replace("$1", match.group(1))
                            .replace("$2", match.groupCount() > 1 ? match.group(2) : ""));
        }

        static Rule of(String from, Function<MatchResult, String> to) {
            return new Rule(Pattern.compile(from), to);
        }

        Optional<String> map(String name) {
            Matcher matcher = from.matcher(name);
            return matcher.matches() ? Optional.of(to.apply(matcher.toMatchResult())) : Optional.empty();
        }
    }

    private static final List<Rule> RULES = List.of(
            Rule.of("(layer\\d\\.\\d+)\\.downsample\\.(.*)", "$1.shortcut.$2"),
            Rule.of("(features\\..*)\\.layer_scale", "$1.scale.gamma"),
            // timm's VGG
            Rule.of("pre_logits\\.fc1\\.(.*)", "classifier.0.$1"),
            Rule.of("pre_logits\\.fc2\\.(.*)", "classifier.3.$1"),
            Rule.of("head\\.fc\\.(.*)", "classifier.6.$1"),
            // timm's ConvNeXt
            Rule.of("stem\\.(.*)", "features.0.$1"),
            Rule.of(
                    "stages\\.(\\d)\\.downsample\\.(.*)",
                    match -> "features.%d.%s".formatted(2 * number(match, 1), match.group(2))),
            Rule.of(
                    "stages\\.(\\d)\\.blocks\\.(\\d+)\\.gamma",
                    match -> "features.%d.%s.scale.gamma".formatted(2 * number(match, 1) + 1, match.group(2))),
            Rule.of(
                    "stages\\.(\\d)\\.blocks\\.(\\d+)\\.(conv_dw|norm|mlp\\.fc1|mlp\\.fc2)\\.(.*)",
                    match -> "features.%d.%s.%s%s"
                            .formatted(
                                    2 * number(match, 1) + 1,
                                    match.group(2),
                                    CONVNEXT_LAYERS.get(match.group(3)),
                                    match.group(4))),
            Rule.of("head\\.norm\\.(.*)", "classifier.0.$1"),
            Rule.of("head\\.fc\\.(.*)", "classifier.2.$1"),
            // timm's MobileNetV2
            Rule.of("conv_stem\\.(.*)", "features.0.0.$1"),
            Rule.of("bn1\\.(.*)", "features.0.1.$1"),
            Rule.of("blocks\\.0\\.0\\.conv_dw\\.(.*)", "features.1.conv.0.0.$1"),
            Rule.of("blocks\\.0\\.0\\.bn1\\.(.*)", "features.1.conv.0.1.$1"),
            Rule.of("blocks\\.0\\.0\\.conv_pw\\.(.*)", "features.1.conv.1.$1"),
            Rule.of("blocks\\.0\\.0\\.bn2\\.(.*)", "features.1.conv.2.$1"),
            Rule.of(
                    "blocks\\.([1-6])\\.(\\d)\\.(conv_pwl?|conv_dw|bn[123])\\.(.*)",
                    match -> "features.%d.conv.%s.%s"
                            .formatted(
                                    MOBILENET_STAGES[number(match, 1)] + number(match, 2),
                                    MOBILENET_LAYERS.get(match.group(3)),
                                    match.group(4))),
            Rule.of("conv_head\\.(.*)", "features.18.0.$1"),
            Rule.of("bn2\\.(.*)", "features.18.1.$1"),
            Rule.of("classifier\\.(.*)", "classifier.1.$1"));

    private StateDict() {}

    private static int number(MatchResult match, int group) {
        return Integer.parseInt(match.group(group));
    }

    /// @param network its name, for the message
    /// @param specs of the network
    /// @param drawn its random weights
    /// @param except which of the named parameters keep their random weights
    /// @return the weights of the network
    /// @throws CheckpointException unless the others have the names and shapes of the network; the message lists
    ///     those that are missing, unexpected or of another shape
    public static Parameters load(
            SavedModel model,
            String network,
            List<ParameterSpec> specs,
            Parameters drawn,
            Function<List<ParameterSpec>, Predicate<String>> except) {
        Map<String, Tensor> found = renamed(model.parameters().tensors(), specs);
        List<ParameterSpec> known = new ArrayList<>(specs);
        found.forEach((name, tensor) ->
                known.add(new ParameterSpec(name, tensor.shape(), new ParameterSpec.Init.Constant(0), true)));
        Predicate<String> random = except.apply(known);
        found.keySet().removeIf(random);
        Map<String, Tensor> loaded = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (ParameterSpec spec : specs) {
            Tensor expected = Objects.requireNonNull(drawn.tensors().get(spec.name()), spec.name());
            Tensor tensor = found.remove(spec.name());
            Tensor fitting = tensor == null ? null : shaped(tensor, expected);
            // as PyTorch does: files of earlier versions have no counters
            boolean optional = spec.init() instanceof ParameterSpec.Init.Counter || random.test(spec.name());
            if (fitting == null && tensor != null) {
                others.add("%s is %s; expected is %s".formatted(spec.name(), text(tensor), text(expected)));
            } else if (fitting == null && !optional) {
                missing.add(spec.name());
            }
            loaded.put(spec.name(), fitting == null ? expected : fitting);
        }
        if (!missing.isEmpty() || !found.isEmpty() || !others.isEmpty()) {
            List<String> sentences = new ArrayList<>();
            add(sentences, "missing: ", missing);
            add(sentences, "unexpected: ", List.copyOf(found.keySet()));
            add(sentences, "of another shape: ", others);
            String first = missing.isEmpty() ? others.isEmpty() ? "fc." : others.getFirst() : missing.getFirst();
            throw new CheckpointException(
                    "the checkpoint %s does not fit the network (%s). %s. \"except\" leaves layers as drawn, such as \"except\": [\"%s\"]"
                            .formatted(
                                    model.name(),
                                    network,
                                    String.join("; ", sentences),
                                    first.replaceFirst("(\\.[a-z_]+)?( is .*)?$", "")));
        }
        return new Parameters(loaded);
    }

    private static void add(List<String> sentences, String what, List<String> names) {
        if (!names.isEmpty()) {
            sentences.add(what
                    + names.stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
                    + (names.size() > MAX_NAMES ? " and %d more".formatted(names.size() - MAX_NAMES) : ""));
        }
    }

    private static Map<String, Tensor> renamed(Map<String, Tensor> tensors, List<ParameterSpec> specs) {
        Map<String, ParameterSpec> wanted = new HashMap<>();
        specs.forEach(spec -> wanted.put(spec.name(), spec));
        Map<String, Tensor> renamed = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> {
            String ours = wanted.containsKey(name)
                    ? name
                    : RULES.stream()
                            .flatMap(rule -> rule.map(name).stream())
                            .filter(to -> wanted.containsKey(to) && !tensors.containsKey(to))
                            .findFirst()
                            .orElse(name);
            renamed.put(ours, tensor);
        });
        return renamed;
    }

    /// The tensor with the expected shape. A linear layer may be a convolution elsewhere and a layer scale have more
    /// dimensions: their shapes differ, and their values do not. Null if it does not fit.
    private static @Nullable Tensor shaped(Tensor tensor, Tensor expected) {
        Shape shape = expected.shape();
        if (tensor.getClass() != expected.getClass() || tensor.shape().equals(shape)) {
            return tensor.getClass() == expected.getClass() ? tensor : null;
        }
        List<Integer> sizes = tensor.shape().sizes();
        boolean same = tensor.shape().elements() == shape.elements()
                && !sizes.isEmpty()
                && sizes.size() != shape.sizes().size()
                && sizes.getFirst().equals(shape.sizes().getFirst());
        return same && tensor instanceof Tensor.Floats floats ? new Tensor.Floats(shape, floats.values()) : null;
    }

    private static String text(Tensor tensor) {
        return "%s of shape %s".formatted(tensor instanceof Tensor.Longs ? "int64" : "float32", tensor.shape());
    }
}
