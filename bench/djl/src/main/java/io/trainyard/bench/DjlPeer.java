package io.trainyard.bench;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/// The jobs of the benchmark with DJL on PyTorch's engine: the whole dataset on the device, a plain loop over batches.
/// Accepts the options of bench/train_torch.py and prints the same JSON objects.
///
///     --model lenet --dataset cifar10 --data DIR --epochs 2 --batch 4 --lr 0.001 --momentum 0.9 --shuffle --normalize
///     --matrix 2048      measures a matrix product instead, and so the BLAS
///
/// Initial weights are DJL's, so losses differ from PyTorch's. DJL's Trainer is not used; with it a step takes as much
/// CPU time.
final class DjlPeer {
    private final Map<String, String> options;
    private final NDManager manager = NDManager.newBaseManager();
    private final ParameterStore parameters = new ParameterStore(manager, false);
    private final Loss lossFunction = Loss.softmaxCrossEntropyLoss();
    private final int batch;

    private DjlPeer(Map<String, String> options) {
        this.options = options;
        this.batch = Integer.parseInt(options.getOrDefault("batch", "64"));
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            boolean isFlag = i + 1 == arguments.length || arguments[i + 1].startsWith("--");
            options.put(arguments[i].substring(2), isFlag ? "true" : arguments[++i]);
        }
        System.setProperty("ai.djl.offline", "true"); // no downloads
        System.setProperty("ai.djl.pytorch.num_threads", options.getOrDefault("threads", "2"));
        DjlPeer peer = new DjlPeer(options);
        if (options.containsKey("matrix")) {
            peer.multiply(Integer.parseInt(options.get("matrix")));
        } else {
            peer.run();
        }
    }

    /// The networks of the PyTorch script, layer for layer.
    private static Block network(String name, long classes) {
        SequentialBlock net = new SequentialBlock();
        switch (name) {
            case "tudui" -> {
                net.add(conv(32, 5, 2)).add(pool()).add(conv(32, 5, 2)).add(pool()).add(conv(64, 5, 2)).add(pool());
                net.add(Blocks.batchFlattenBlock()).add(linear(64)).add(linear(classes));
            }
            case "lenet" -> {
                net.add(conv(6, 5, 0)).add(Activation.reluBlock()).add(pool());
                net.add(conv(16, 5, 0)).add(Activation.reluBlock()).add(pool()).add(Blocks.batchFlattenBlock());
                net.add(linear(120)).add(Activation.reluBlock()).add(linear(84)).add(Activation.reluBlock());
                net.add(linear(classes));
            }
            case "fashion" -> {
                net.add(conv(6, 5, 0)).add(Activation.reluBlock()).add(pool());
                net.add(conv(12, 5, 0)).add(Activation.reluBlock()).add(pool()).add(Blocks.batchFlattenBlock());
                net.add(linear(120)).add(Activation.reluBlock()).add(linear(60)).add(Activation.reluBlock());
                net.add(linear(classes));
            }
            case "signs" -> {
                net.add(Blocks.batchFlattenBlock()).add(linear(25)).add(Activation.reluBlock());
                net.add(linear(16)).add(Activation.reluBlock()).add(linear(classes));
            }
            default -> throw new IllegalArgumentException(
                    "--model is %s; there are tudui, lenet, fashion and signs".formatted(name));
        }
        return net;
    }

    private static Block conv(int out, int kernel, int padding) {
        return Conv2d.builder()
                .setFilters(out)
                .setKernelShape(new Shape(kernel, kernel))
                .optPadding(new Shape(padding, padding))
                .build();
    }

    private static Block pool() {
        return Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2));
    }

    private static Block linear(long out) {
        return Linear.builder().setUnits(out).build();
    }

    private void run() throws IOException {
        Path folder = Path.of(options.get("data"));
        Images train = Images.read(options.get("dataset"), folder, true);
        Images test = Images.read(options.get("dataset"), folder, false);
        boolean normalize = options.containsKey("normalize");
        NDArray images = train.resident(manager, normalize);
        NDArray labels = manager.create(train.labels());
        NDArray testImages = test.resident(manager, normalize);
        NDArray testLabels = manager.create(test.labels());

        Block net = network(options.get("model"), Arrays.stream(train.labels()).max().orElseThrow() + 1);
        net.initialize(manager, DataType.FLOAT32, new Shape(batch).addAll(train.shape()));
        List<Parameter> weights = net.getParameters().values();
        weights.forEach(weight -> weight.getArray().setRequiresGradient(true));
        Optimizer optimizer = Optimizer.sgd()
                .setLearningRateTracker(Tracker.fixed(Float.parseFloat(options.get("lr"))))
                .optMomentum(Float.parseFloat(options.getOrDefault("momentum", "0")))
                .build();

        long begin = System.nanoTime();
        List<Long> nanos = new ArrayList<>();
        Random random = new Random(0);
        for (int epoch = 0; epoch < Integer.parseInt(options.get("epochs")); epoch++) {
            long epochBegin = System.nanoTime();
            long at = epochBegin;
            int size = train.labels().length;
            long[] order = options.containsKey("shuffle") ? permutation(size, random) : null;
            for (int from = 0; from < size; from += batch) {
                step(net, weights, optimizer, images, labels, order, from, Math.min(size, from + batch));
                long now = System.nanoTime();
                nanos.add(now - at);
                at = now;
            }
            double accuracy = accuracy(net, testImages, testLabels);
            say(
                    "\"event\":\"epoch\",\"epoch\":%d,\"test_accuracy\":%.4f,\"train_seconds\":%.4f,\"test_seconds\":%.4f",
                    epoch, accuracy, (at - epochBegin) / 1e9, (System.nanoTime() - at) / 1e9);
        }
        nanos.sort(null);
        say(
                "\"event\":\"done\",\"seconds\":%.4f,\"steps\":%d,\"median_step_micros\":%.1f,\"torch\":\"%s\",\"threads\":%d",
                (System.nanoTime() - begin) / 1e9,
                nanos.size(),
                nanos.get(nanos.size() / 2) / 1e3,
                Engine.getInstance().getVersion(),
                JniUtils.getNumThreads());
    }

    /// @param order of the samples; null: unchanged, so that a batch is a slice without a copy
    private void step(
            Block net,
            List<Parameter> weights,
            Optimizer optimizer,
            NDArray images,
            NDArray labels,
            long[] order,
            int from,
            int to) {
        try (NDManager scope = manager.newSubManager()) {
            NDIndex index = order == null
                    ? new NDIndex().addSliceDim(from, to)
                    : new NDIndex("{}", scope.create(Arrays.copyOfRange(order, from, to)));
            NDArray x = images.get(scope, index);
            NDArray y = labels.get(scope, index);
            try (GradientCollector collector = Engine.getInstance().newGradientCollector()) {
                NDArray out = net.forward(parameters, new NDList(x), true).singletonOrThrow();
                collector.backward(lossFunction.evaluate(new NDList(y), new NDList(out)));
            }
            for (Parameter weight : weights) {
                NDArray gradient = weight.getArray().getGradient();
                gradient.attach(scope);
                optimizer.update(weight.getId(), weight.getArray(), gradient);
            }
        }
    }

    private double accuracy(Block net, NDArray images, NDArray labels) {
        long right = 0;
        for (long from = 0; from < labels.size(); from += batch) {
            try (NDManager scope = manager.newSubManager()) {
                NDIndex index = new NDIndex().addSliceDim(from, Math.min(labels.size(), from + batch));
                NDArray out = net.forward(parameters, new NDList(images.get(scope, index)), false)
                        .singletonOrThrow();
                right += out.argMax(1).eq(labels.get(scope, index)).countNonzero().getLong();
            }
        }
        return (double) right / labels.size();
    }

    private static long[] permutation(int size, Random random) {
        long[] order = new long[size];
        for (int i = 0; i < size; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    /// The best of some products of two square matrices.
    private void multiply(int size) {
        NDArray left = manager.randomUniform(0, 1, new Shape(size, size));
        NDArray right = manager.randomUniform(0, 1, new Shape(size, size));
        double best = 0;
        for (int i = 0; i < 10; i++) {
            long begin = System.nanoTime();
            left.matMul(right).close();
            best = Math.max(best, 2.0 * size * size * size / (System.nanoTime() - begin));
        }
        say("\"product\":\"DJL's libtorch %s\",\"gflops\":%.1f", Engine.getInstance().getVersion(), best);
    }

    private static void say(String format, Object... values) {
        System.out.println("{" + String.format(Locale.ROOT, format, values) + "}");
    }
}
