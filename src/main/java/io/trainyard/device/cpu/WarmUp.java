package io.trainyard.device.cpu;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.device.onednn.OneDnnDevice;
import io.trainyard.device.vector.VectorDevice;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.Extent;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Residual;
import io.trainyard.spec.Scale;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Upsample;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Makes the JVM compile the kernels before a job needs them: in interpreted code, a vector is an object and every
/// operation on it a call, a thousand times slower. A small artificial network with every layer that has kernels is
/// trained for a few steps, so small that even these are fast. `src/main/jvm/flags` makes the JVM compile kernels
/// after few calls, and the calling thread wait for it. This does not affect the results of jobs.
final class WarmUp {
    /// Calls every kernel often enough to be compiled.
    private static final int STEPS = 12;

    private static final int THREADS = 2; // to sum gradients of several
    private static final int BATCH = 9 * THREADS; // more than one chunk each
    private static final Shape IMAGE = Shape.of(2, 16, 16);
    private static final int CLASSES = 4;
    private static final Normalize NORMALIZE = new Normalize(List.of(0.5, 0.5), List.of(0.5, 0.5));

    /// The groups of kernels, apart from those of the update rules.
    private enum Layers {
        /// The kernels of [io.trainyard.device.vector].
        NARROW(
                new Conv2d(null, 6, 5, 1, 0, true),
                new ActivationFunction.Relu(null),
                new Pooling.MaxPool2d(null, 2, 2),
                new Conv2d(null, 3, 5, 1, 2, true),
                new Pooling.MaxPool2d(null, 3, 1),
                new LayerSpec.Flatten(null),
                new DropoutLayer.Dropout(null, 0.5),
                new LayerSpec.Linear(null, 24, true),
                new ActivationFunction.Relu(null),
                new LayerSpec.Linear(null, CLASSES, true)),

        /// The kernels next to oneDNN, except batch norm's.
        WIDE(
                new Conv2d(null, 16, 3, 1, 1, true),
                new ActivationFunction.Relu(null),
                new Pooling.MaxPool2d(null, 2, 2),
                new Pooling.MaxPool2d(null, 3, 1),
                padded(),
                new Pooling.MaxPool2d(null, 2, 1),
                new Conv2d(null, 16, 7, 1, 3, 1, 16, true), // depthwise, in images of two rows
                new Upsample(null, null, Scale.both(2), "nearest"),
                new ActivationFunction.Sigmoid(null),
                new ActivationFunction.Softplus(null, 1, 20),
                new ActivationFunction.Hardswish(null),
                new ActivationFunction.Relu6(null),
                new LayerSpec.LayerScale(null, 1),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, CLASSES, true)),

        /// Batch norm's: alone, with a ReLU, with a sum, with both.
        NORM(
                new Conv2d(null, 16, 3, 1, 1, false),
                new BatchNorm.BatchNorm2d(null),
                new ActivationFunction.Relu(null),
                block(),
                new ActivationFunction.Relu(null),
                block(),
                new Pooling.MaxPool2d(null, 2, 2),
                new BatchNorm.BatchNorm2d(null),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, CLASSES, true));

        private final NetworkSpec network;

        Layers(LayerSpec... layers) {
            network = NetworkSpec.ofLayers(List.of(layers));
        }

        private static LayerSpec padded() {
            Extent one = Extent.square(1);
            return new Pooling.MaxPool2d(null, Extent.square(3), Extent.square(2), one, one, false);
        }

        private static LayerSpec block() {
            return new Residual(
                    null, List.of(new Conv2d(null, 16, 3, 1, 1, false), new BatchNorm.BatchNorm2d(null)), List.of());
        }

        static Layers of(Network network, Precision precision) {
            if (KernelRule.narrow(network, precision)) {
                return NARROW;
            }
            return network.wholeBatchLayers().isEmpty() ? WIDE : NORM;
        }
    }

    /// The combinations that call different kernels.
    private record Kind(Layers layers, Precision precision, Loop update) {}

    /// Number of calls of [#next] that warm the kernels of common jobs.
    static final int KINDS = Layers.values().length * Loop.usual().size();

    private static final Set<Kind> DONE = new HashSet<>(); // static, because compiled code is shared in the process
    private static int next;

    private final VectorDevice narrow;
    private final OneDnnDevice wide;

    WarmUp(VectorDevice narrow, OneDnnDevice wide) {
        this.narrow = narrow;
        this.wide = wide;
    }

    /// Warms the kernels that such a job needs, unless this was done before; waits until they are warm.
    void once(Network network, Precision precision, OptimizerSpec optimizer) {
        Kind kind = new Kind(Layers.of(network, precision), precision, Loop.of(optimizer));
        synchronized (DONE) {
            if (DONE.add(kind)) {
                train(kind);
            }
        }
    }

    /// Warms the next of the common kinds, cyclically: the code around the kernels is only compiled after thousands
    /// of steps.
    void next() {
        synchronized (DONE) {
            Layers[] all = Layers.values();
            Kind kind = new Kind(
                    all[next % all.length], Precision.FP32, Loop.usual().get(next / all.length));
            next = (next + 1) % KINDS;
            DONE.add(kind);
            train(kind);
        }
    }

    /// With and without normalization of the pixels.
    private void train(Kind kind) {
        train(kind, NORMALIZE);
        train(kind, null);
    }

    private void train(Kind kind, @Nullable Normalize normalize) {
        Workload workload = workload(kind, normalize);
        try (LearningSession session = (kind.layers() == Layers.NARROW ? narrow : wide).open(workload)) {
            session.load(new SessionState(parameters(workload.network()), Parameters.NONE));
            int[] order = TorchRandom.identity(STEPS * BATCH);
            session.beginEpoch(new EpochPlan(order, new double[STEPS], new TorchRandom(0)), 0);
            session.advance(STEPS);
            session.evaluate();
        }
    }

    private static Workload workload(Kind kind, @Nullable Normalize normalize) {
        return new Workload(
                Network.fit(kind.layers().network, IMAGE, CLASSES),
                kind.update().example(),
                BATCH,
                new Dataset("warm-up", IMAGE, CLASSES, images(STEPS * BATCH), images(BATCH)),
                PixelScale.of(IMAGE.size(0), normalize),
                AugmentSpec.NONE,
                kind.precision(),
                THREADS);
    }

    private static Dataset.Split images(int count) {
        byte[] pixels = new byte[count * IMAGE.elements()];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i * 31);
        }
        return new Dataset.Split(pixels, new byte[count]);
    }

    private static Parameters parameters(Network network) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (ParameterSpec spec : network.parameters()) {
            int elements = spec.shape().elements();
            if (spec.init() instanceof ParameterSpec.Init.Counter) {
                tensors.put(spec.name(), new Tensor.Longs(spec.shape(), new long[elements]));
                continue;
            }
            float[] values = new float[elements];
            for (int i = 0; i < elements; i++) {
                values[i] = (i * 37 % 11 - 5) / 50f;
            }
            tensors.put(spec.name(), new Tensor.Floats(spec.shape(), values));
        }
        return new Parameters(tensors);
    }
}
