package io.trainyard.device.check;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Targets;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.LossSpec.CrossEntropy;
import io.trainyard.spec.LossSpec.MeanSquaredError;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.OptimizerSpec.Adam;
import io.trainyard.spec.OptimizerSpec.AdamW;
import io.trainyard.spec.OptimizerSpec.Rmsprop;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/// Small networks on random pixels that are the same in every run.
public final class CheckWorkload {
    /// One step subtracts exactly the gradient from a parameter.
    public static final Sgd PLAIN = new Sgd(1, 0, 0);

    public static final Sgd MOMENTUM = new Sgd(0.05, 0.9, 0.01);

    /// Its epsilon is large, because otherwise gradients that are only rounding errors would be divided by their
    /// own size.
    public static final Adam ADAM = new Adam(0.01, 0.9, 0.99, 1e-3, 0.02);

    static final long STATE_SEED = 3;

    private CheckWorkload() {}

    public static List<OptimizerSpec> optimizers() {
        return List.of(
                new Sgd(0.1, 0, 0.05),
                MOMENTUM,
                new Sgd(0.05, 0.9, true, 0.01),
                ADAM,
                new Adam(0.01, 0.4, 0.9, 1e-3, 0),
                new AdamW(0.01, 0.9, 0.99, 1e-2, 0.1),
                new Sgd(0.05, 0.9, 0.4, false, 0.01),
                new Adam(0.01, 0.9, 0.6, 1e-2, 0, true),
                new AdamW(0.01, 0.9, 0.6, 1e-2, 0.1, true),
                new Rmsprop(0.002, 0.9, 1e-2, 0, false, 0.01),
                new Rmsprop(0.01, 0.5, 0.5, 0.9, false, 0),
                new Rmsprop(0.002, 0.9, 1e-1, 0, true, 0.01),
                new Rmsprop(0.01, 0.4, 0.5, 0.8, true, 0.01));
    }

    public static List<LossSpec> losses() {
        return List.of(
                new CrossEntropy(0.1, null),
                new CrossEntropy(0, List.of(0.5, 3.0, 1.0)),
                new CrossEntropy(0.3, List.of(2.0, 0.25, 0.0)),
                new CrossEntropy(1, List.of(1.0, 2.0, 0.1)),
                new MeanSquaredError());
    }

    /// The workload with another loss. For a regression loss each sample gets three random numbers as targets.
    public static Workload learning(LossSpec loss, Workload workload) {
        if (!loss.isRegression()) {
            return workload.withLoss(loss);
        }
        Dataset dataset = workload.dataset();
        Random random = new Random(4);
        Dataset numbers = new Dataset(
                dataset.name(),
                dataset.shape(),
                dataset.outputs(),
                numbers(dataset.train(), dataset.outputs(), random),
                numbers(dataset.test(), dataset.outputs(), random));
        return new Workload(
                workload.network(),
                loss,
                workload.optimizer(),
                workload.loop(),
                workload.batchSize(),
                numbers,
                workload.scale(),
                workload.augment(),
                workload.precision(),
                workload.threads(),
                workload.trains());
    }

    private static Dataset.Split numbers(Dataset.Split split, int outputs, Random random) {
        float[] values = new float[split.size() * outputs];
        for (int i = 0; i < values.length; i++) {
            values[i] = 2 * random.nextFloat() - 1;
        }
        return new Dataset.Split(split.samples(), new Targets.Numbers(values, outputs));
    }

    /// The options of the training loop, each alone and all together. Clipping takes effect only in some steps of
    /// [#eventful].
    public static List<LoopSpec> loops() {
        ClipSpec norm = new ClipSpec(1.5, null);
        EmaSpec ema = new EmaSpec(0.7);
        return List.of(
                new LoopSpec(true, 1, null, null),
                new LoopSpec(false, 1, norm, null),
                new LoopSpec(false, 1, new ClipSpec(null, 0.2), null),
                new LoopSpec(false, 2, null, null),
                new LoopSpec(false, 1, null, ema),
                new LoopSpec(false, 2, new ClipSpec(null, 0.1), ema),
                new LoopSpec(true, 3, norm, ema));
    }

    /// 13 training samples in batches of 5, 5 and 3; 7 test samples in batches of 5 and 2.
    public static Workload of(LayerCase row, OptimizerSpec optimizer) {
        return of(row.input(), row.classes(), row.layers(), optimizer, 5, 13, 7);
    }

    public static Workload of(
            Shape input,
            int classes,
            List<LayerSpec> layers,
            OptimizerSpec optimizer,
            int batchSize,
            int trains,
            int tests) {
        return of(images(input, classes, trains, tests), layers, optimizer, batchSize);
    }

    static Dataset images(Shape input, int classes, int trains, int tests) {
        return new Dataset("random", input, classes, split(input, classes, trains, 1), split(input, classes, tests, 2));
    }

    public static Workload of(Dataset dataset, List<LayerSpec> layers, OptimizerSpec optimizer, int batchSize) {
        return new Workload(
                Network.fit(NetworkSpec.ofLayers(layers), dataset.shape(), dataset.outputs()),
                optimizer,
                batchSize,
                dataset,
                PixelScale.of(dataset.shape().size(0), null),
                AugmentSpec.NONE,
                Precision.FP32,
                0);
    }

    private static Dataset.Split split(Shape input, int classes, int samples, long seed) {
        Random random = new Random(seed);
        byte[] pixels = new byte[samples * input.elements()];
        random.nextBytes(pixels);
        byte[] labels = new byte[samples];
        for (int i = 0; i < samples; i++) {
            labels[i] = (byte) random.nextInt(classes);
        }
        return new Dataset.Split(pixels, labels);
    }

    /// Includes everything that carries over between steps: momentum, augmentation, dropout, running statistics,
    /// a short last batch.
    public static Workload eventful() {
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 3, 1, 1, true),
                Layers.norm(),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.dropout(0.25),
                Layers.flatten(),
                Layers.linear(10, true),
                Layers.dropout(0.5),
                Layers.linear(3, true));
        AugmentSpec augment = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.5), new Cutout(4));
        return of(Shape.of(2, 8, 7), 3, layers, MOMENTUM, 4, 19, 6).withAugment(augment);
    }

    /// Random values everywhere, including running statistics and batch norm scales, because constants could hide
    /// an error.
    public static SessionState state(Workload workload) {
        return state(workload, STATE_SEED);
    }

    static SessionState state(Workload workload, long seed) {
        Random random = new Random(seed);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (ParameterSpec parameter : workload.network().parameters()) {
            float[] values = new float[parameter.shape().elements()];
            switch (parameter.init()) {
                case ParameterSpec.Init.Normal normal -> {
                    for (int i = 0; i < values.length; i++) {
                        values[i] = (float) (normal.deviation() * random.nextGaussian());
                    }
                }
                case ParameterSpec.Init.Uniform uniform -> {
                    for (int i = 0; i < values.length; i++) {
                        values[i] = (float) (uniform.bound() * (2 * random.nextDouble() - 1));
                    }
                }
                case ParameterSpec.Init.Constant constant -> {
                    for (int i = 0; i < values.length; i++) {
                        values[i] = constant.value() + random.nextFloat() - 0.5f;
                    }
                }
                case ParameterSpec.Init.Counter counter -> {
                    tensors.put(parameter.name(), new Tensor.Longs(parameter.shape(), new long[] {41}));
                    continue;
                }
            }
            tensors.put(parameter.name(), new Tensor.Floats(parameter.shape(), values));
        }
        return new SessionState(new Parameters(tensors), Parameters.NONE);
    }

    public static EpochPlan plan(Workload workload, long seed) {
        return plan(workload, seed, constantRates(workload));
    }

    public static double[] constantRates(Workload workload) {
        double[] rates = new double[workload.stepsPerEpoch()];
        Arrays.fill(rates, workload.optimizer().learningRate());
        return rates;
    }

    public static EpochPlan plan(Workload workload, long seed, double[] learningRates) {
        List<Integer> order = new ArrayList<>(
                IntStream.range(0, workload.dataset().train().size()).boxed().toList());
        Collections.shuffle(order, new Random(seed));
        return new EpochPlan(order.stream().mapToInt(i -> i).toArray(), learningRates, new TorchRandom(seed));
    }

    /// The gradients of a plan's first step, from one step of [#PLAIN].
    public static Map<String, Tensor> gradients(LearningSession session, Workload workload) {
        return gradients(session, workload, state(workload));
    }

    static Map<String, Tensor> gradients(LearningSession session, Workload workload, SessionState before) {
        session.load(before);
        session.beginEpoch(plan(workload, 1), 0);
        var unusedLosses = session.advance(1);
        return difference(workload, before, session.save());
    }

    public static Map<String, Tensor> difference(Workload workload, SessionState before, SessionState after) {
        Map<String, Tensor> gradients = new LinkedHashMap<>();
        for (ParameterSpec parameter : workload.network().parameters()) {
            if (parameter.trained()) {
                float[] from = before.model().floats(parameter.name(), parameter.shape());
                float[] to = after.model().floats(parameter.name(), parameter.shape());
                float[] gradient = new float[from.length];
                for (int i = 0; i < from.length; i++) {
                    gradient[i] = from[i] - to[i];
                }
                gradients.put(parameter.name(), new Tensor.Floats(parameter.shape(), gradient));
            }
        }
        return gradients;
    }
}
