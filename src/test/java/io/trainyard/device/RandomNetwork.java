package io.trainyard.device;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.ActivationFunction.Gelu;
import io.trainyard.spec.ActivationFunction.Hardswish;
import io.trainyard.spec.ActivationFunction.Hardtanh;
import io.trainyard.spec.ActivationFunction.LeakyRelu;
import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.ActivationFunction.Relu6;
import io.trainyard.spec.ActivationFunction.Sigmoid;
import io.trainyard.spec.ActivationFunction.Silu;
import io.trainyard.spec.ActivationFunction.Softplus;
import io.trainyard.spec.ActivationFunction.Tanh;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.BatchNorm.BatchNorm1d;
import io.trainyard.spec.BatchNorm.BatchNorm2d;
import io.trainyard.spec.Concat;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer.Dropout;
import io.trainyard.spec.DropoutLayer.Dropout2d;
import io.trainyard.spec.Extent;
import io.trainyard.spec.Gate;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Identity;
import io.trainyard.spec.LayerSpec.LayerScale;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.OptimizerSpec.Adam;
import io.trainyard.spec.OptimizerSpec.AdamW;
import io.trainyard.spec.OptimizerSpec.Rmsprop;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Padding;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SampleNorm.LayerNorm;
import io.trainyard.spec.SampleNorm.LayerNorm2d;
import io.trainyard.spec.Scale;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Upsample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import org.jspecify.annotations.Nullable;

/// A small network of random layers on random images, with random training options.
///
/// @param trains training samples; more than one batch, and rarely a whole number of batches
public record RandomNetwork(
        Shape input,
        int classes,
        List<LayerSpec> layers,
        int batchSize,
        int trains,
        int tests,
        OptimizerSpec optimizer,
        AugmentSpec augment,
        int threads) {
    /// The random numbers for a layer, independent of its input's shape. jqwik shrinks them one by one to find
    /// the smallest failing network, even if shapes change.
    private record Recipe(Kind kind, int first, int second, int third, int fourth) {}

    /// Makes a layer that accepts the input shape; null if none does.
    private interface Maker {
        @Nullable
        LayerSpec make(Recipe recipe, Shape in);
    }

    private enum Kind {
        CONV2D((recipe, in) -> isImage(in) ? conv(recipe, in) : null),
        MAX_POOL2D((recipe, in) -> isImage(in) ? windows(recipe, in).maxPool() : null),
        AVG_POOL2D((recipe, in) -> isImage(in) ? windows(recipe, in).avgPool() : null),
        ADAPTIVE_AVG_POOL2D((recipe, in) ->
                isImage(in) ? new AdaptiveAvgPool2d(null, bothOr(recipe, recipe.first(), recipe.second(), 5)) : null),
        UPSAMPLE((recipe, in) -> isImage(in) && in.size(1) * in.size(2) < 100 ? upsample(recipe, in) : null),
        BATCH_NORM1D((recipe, in) -> isImage(in)
                ? null
                : new BatchNorm1d(null, 0.1 + recipe.first() / 200.0, BatchNorm.DEFAULT_MOMENTUM, option(recipe))),
        BATCH_NORM2D((recipe, in) -> isImage(in) && in.elements() > in.size(0)
                ? new BatchNorm2d(null, 1e-5 + recipe.first() / 500.0, BatchNorm.DEFAULT_MOMENTUM, option(recipe))
                : null),
        GROUP_NORM((recipe, in) -> groupNorm(recipe, in)),
        LAYER_NORM((recipe, in) ->
                in.elements() > 1 ? new LayerNorm(null, List.of(), normEps(recipe), option(recipe)) : null),
        LAYER_NORM2D((recipe, in) ->
                isImage(in) && in.size(0) > 1 ? new LayerNorm2d(null, normEps(recipe), option(recipe)) : null),
        LAYER_SCALE((recipe, _) -> new LayerScale(null, recipe.first() / 50.0)),
        RELU((_, _) -> new Relu(null)),
        LEAKY_RELU((recipe, _) -> new LeakyRelu(null, recipe.first() / 50.0)),
        GELU((recipe, _) -> new Gelu(null, option(recipe) ? "tanh" : "none")),
        TANH((_, _) -> new Tanh(null)),
        SIGMOID((_, _) -> new Sigmoid(null)),
        SILU((_, _) -> new Silu(null)),
        SOFTPLUS((recipe, _) -> new Softplus(null, 0.5 + recipe.first() / 50.0, recipe.second() * 0.5 + 10)),
        HARDSWISH((_, _) -> new Hardswish(null)),
        HARDTANH((recipe, _) -> new Hardtanh(null, -1 + recipe.first() / 80.0, 0.5 + recipe.second() / 50.0)),
        RELU6((_, _) -> new Relu6(null)),
        IDENTITY((_, _) -> new Identity(null)),
        DROPOUT((recipe, _) -> new Dropout(null, recipe.first() / 100.0)),
        DROPOUT2D((recipe, in) -> isImage(in) ? new Dropout2d(null, recipe.first() / 100.0) : null),
        FLATTEN((_, _) -> new Flatten(null)),
        LINEAR((recipe, in) -> isImage(in) ? null : new Linear(null, width(recipe.first()), option(recipe))),
        CONCAT((recipe, in) -> new Concat(
                null, List.of(List.of(weights(in, width(recipe.first()))), List.of(), List.of(new Tanh(null))))),
        GATE((_, in) -> {
            LayerSpec weights = weights(in, in.size(0));
            List<LayerSpec> factors = isImage(in)
                    ? List.of(new AdaptiveAvgPool2d(null, 1), weights, new Sigmoid(null))
                    : List.of(weights, new Sigmoid(null));
            return new Gate(null, factors);
        }),

        /// Wraps preceding layers.
        RESIDUAL((_, _) -> null);

        private final Maker maker;

        Kind(Maker maker) {
            this.maker = maker;
        }
    }

    public static Arbitrary<RandomNetwork> arbitrary() {
        return arbitrary(layer -> true);
    }

    /// @param allowed whether a device supports a layer
    public static Arbitrary<RandomNetwork> arbitrary(Predicate<LayerSpec> allowed) {
        Arbitrary<Shape> inputs = Combinators.combine(sizes(1, 4), sizes(1, 11), sizes(1, 11))
                .as((channels, rows, columns) -> Shape.of(channels, rows, columns));
        Arbitrary<Integer> numbers = Arbitraries.integers().between(0, 99);
        Arbitrary<List<Recipe>> recipes = Combinators.combine(kinds(), numbers, numbers, numbers, numbers)
                .as(Recipe::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
        Arbitrary<RandomNetwork> networks = Combinators.combine(
                        inputs, sizes(2, 6), recipes, sizes(2, 7), sizes(0, 9), sizes(1, 9), optimizers(), augments())
                .as((input, classes, written, batchSize, more, tests, optimizer, augment) -> new RandomNetwork(
                        input,
                        classes,
                        layers(input, classes, written, allowed),
                        batchSize,
                        trains(batchSize, more),
                        tests,
                        optimizer,
                        augment,
                        1));
        return Combinators.combine(networks, sizes(1, 3)).as(RandomNetwork::withThreads);
    }

    /// More layers with weights, because gradients of earlier layers matter only before them. Also more of the
    /// kinds that are rare because they need a certain predecessor.
    private static Arbitrary<Kind> kinds() {
        return Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.of(Kind.CONV2D, Kind.LINEAR)),
                Tuple.of(1, Arbitraries.of(Kind.FLATTEN, Kind.BATCH_NORM1D)),
                Tuple.of(6, Arbitraries.of(Kind.values())));
    }

    private RandomNetwork withThreads(int number) {
        return new RandomNetwork(input, classes, layers, batchSize, trains, tests, optimizer, augment, number);
    }

    private static Arbitrary<Integer> sizes(int least, int most) {
        return Arbitraries.integers().between(least, most);
    }

    /// At least two batches, and at least two samples in the last one: batch norm cannot normalise a single
    /// sample.
    private static int trains(int batchSize, int more) {
        int trains = 2 * batchSize + more;
        return trains % batchSize == 1 ? trains + 1 : trains;
    }

    private static List<LayerSpec> layers(
            Shape input, int classes, List<Recipe> recipes, Predicate<LayerSpec> allowed) {
        List<LayerSpec> layers = new ArrayList<>();
        Shape shape = input;
        for (Recipe recipe : recipes) {
            if (recipe.kind() == Kind.RESIDUAL) {
                enclose(layers, recipe, input, allowed);
                continue;
            }
            LayerSpec layer = recipe.kind().maker.make(recipe, shape);
            if (layer != null && allowed.test(layer)) {
                layers.add(layer);
                shape = layer.output(shape);
            }
        }
        if (shape.rank() > 1) {
            layers.add(new Flatten(null));
        }
        layers.add(new Linear(null, classes, true));
        return layers;
    }

    /// Wraps the last layers into a residual. The shortcut is the identity if the shapes match and the recipe
    /// says so; otherwise it has the same layers with separate parameters.
    private static void enclose(List<LayerSpec> layers, Recipe recipe, Shape input, Predicate<LayerSpec> allowed) {
        int from = Math.max(0, layers.size() - 1 - recipe.first() % 3);
        List<LayerSpec> newest = layers.subList(from, layers.size());
        if (newest.isEmpty()) {
            return;
        }
        Shape before = shapeBehind(input, layers.subList(0, from));
        boolean same = before.equals(shapeBehind(before, newest));
        LayerSpec residual = new Residual(null, newest, same && recipe.second() % 4 > 0 ? List.of() : newest);
        if (allowed.test(residual)) {
            newest.clear();
            layers.add(residual);
        }
    }

    private static Shape shapeBehind(Shape in, List<LayerSpec> layers) {
        Shape shape = in;
        for (LayerSpec layer : layers) {
            shape = layer.output(shape);
        }
        return shape;
    }

    /// A convolution of single pixels, or a linear layer.
    private static LayerSpec weights(Shape in, int out) {
        return isImage(in) ? new Conv2d(null, out, 1, 1, 0, true) : new Linear(null, out, true);
    }

    private static boolean isImage(Shape in) {
        return in.rank() == 3;
    }

    /// Large enough that normalising nearly equal values does not amplify rounding errors too much.
    private static double normEps(Recipe recipe) {
        return 0.05 + recipe.first() / 200.0;
    }

    private static @Nullable LayerSpec groupNorm(Recipe recipe, Shape in) {
        int groups = recipe.second() % 2 == 0 ? 1 : in.size(0);
        return in.elements() > groups ? new GroupNorm(null, groups, normEps(recipe), option(recipe)) : null;
    }

    private static int side(Shape image) {
        return Math.min(image.size(1), image.size(2));
    }

    private static boolean option(Recipe recipe) {
        return recipe.fourth() % 2 == 1;
    }

    /// Usually square.
    private static boolean isSquare(Recipe recipe) {
        return recipe.third() % 8 < 5;
    }

    /// From 1 to `most`, equal in both directions if the recipe is square.
    private static Extent bothOr(Recipe recipe, int rows, int columns, int most) {
        return new Extent(1 + rows % most, 1 + (isSquare(recipe) ? rows : columns) % most);
    }

    /// Square within square images if the recipe is.
    private static RandomWindows windows(Recipe recipe, Shape in) {
        int columns = isSquare(recipe) ? recipe.first() : recipe.third();
        return RandomWindows.of(in, recipe.first(), columns, recipe.second(), recipe.fourth());
    }

    private static LayerSpec upsample(Recipe recipe, Shape in) {
        if (option(recipe)) {
            return new Upsample(null, bothOr(recipe, recipe.first(), recipe.second(), 12), null, "nearest");
        }
        double factor = 1 + recipe.first() % 13 / 10.0;
        double other = in.size(2) > 1 ? 0.5 + recipe.second() % 7 / 10.0 : 1;
        return new Upsample(null, null, new Scale(factor, isSquare(recipe) ? factor : other), "nearest");
    }

    private static LayerSpec conv(Recipe recipe, Shape in) {
        int padding = recipe.second() % 4;
        int dilation = 1 + recipe.second() / 4 % 5 / 3;
        int kernel = 1 + Math.min(recipe.first() % 5, (side(in) + 2 * padding - 1) / dilation);
        int groups = recipe.first() / 5 % 4 == 3 ? in.size(0) : 1;
        int out = groups == 1 ? width(recipe.third()) : groups * (1 + recipe.third() % 3);
        int stride = 1 + recipe.fourth() / 2 % 3;
        if (recipe.second() % 10 == 9) {
            Extent window = bothOr(recipe, recipe.first(), recipe.second(), 5);
            Extent spread = bothOr(recipe, recipe.second() / 10, recipe.fourth(), 2);
            return new Conv2d(null, out, window, Extent.square(1), Padding.SAME, spread, groups, option(recipe));
        }
        if (!isSquare(recipe)) {
            return windows(recipe, in).conv(out, groups, option(recipe));
        }
        return new Conv2d(null, out, kernel, stride, padding, dilation, groups, option(recipe));
    }

    /// Usually small; sometimes around a vector's lanes or oneDNN's channel blocks.
    private static int width(int number) {
        return number < 70 ? 1 + number % 7 : number - 69 + 7;
    }

    /// Learning rates that make visible but small steps, and an epsilon that keeps Adam from amplifying
    /// rounding errors into full steps.
    private static Arbitrary<OptimizerSpec> optimizers() {
        Arbitrary<Double> momenta = Arbitraries.of(0.0, 0.5, 0.9);
        Arbitrary<Double> decays = Arbitraries.of(0.0, 0.01, 0.1);
        Arbitrary<Integer> rules = sizes(0, 4);
        return Combinators.combine(rules, momenta, decays).as((rule, momentum, decay) -> switch (rule) {
            case 0 -> new Sgd(0.02, momentum, false, decay);
            case 1 -> new Sgd(0.02, momentum, momentum > 0, decay);
            case 2 -> new Adam(0.01, momentum, 0.99, 0.05, decay);
            case 3 -> new AdamW(0.01, momentum, 0.99, 0.05, decay);
            default -> new Rmsprop(0.01, 0.9, 0.5, momentum, false, decay);
        });
    }

    private static Arbitrary<AugmentSpec> augments() {
        AugmentSpec all = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.5), new Cutout(4));
        return Arbitraries.of(AugmentSpec.NONE, new AugmentSpec(null, new HorizontalFlip(0.5), null), all);
    }

    /// The workload with the network's own optimizer.
    public Workload workload() {
        return workload(optimizer);
    }

    public Workload workload(OptimizerSpec other) {
        Workload plain = CheckWorkload.of(input, classes, layers, other, batchSize, trains, tests);
        return plain.withAugment(augment).withThreads(threads);
    }
}
