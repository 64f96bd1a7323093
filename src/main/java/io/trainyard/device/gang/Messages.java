package io.trainyard.device.gang;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;
import io.trainyard.spec.UpdateSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What is said of a session, as bytes. Both sides know the job, and with it every name, shape and number of steps:
/// only values are said, and how many bytes they are is known before.
final class Messages {
    private final Workload workload;
    private final List<Place> model = new ArrayList<>();
    private final List<Place> kept = new ArrayList<>();

    /// @param counts whether it is one int64, and not float32
    private record Place(String name, Shape shape, boolean counts) {
        long bytes() {
            return counts ? Long.BYTES : (long) shape.elements() * Float.BYTES;
        }
    }

    /// @param workload with all of its tests
    Messages(Workload workload) {
        this.workload = workload;
        UpdateSpec update = workload.update();
        for (ParameterSpec spec : workload.network().parameters()) {
            model.add(new Place(spec.name(), spec.shape(), spec.init() instanceof ParameterSpec.Init.Counter));
            update.slotsOf(spec).forEach(slot -> kept.add(new Place(slot.name(), slot.shape(), false)));
        }
        if (update.countsSteps()) {
            kept.add(new Place(UpdateSpec.STEP, Shape.of(), true));
        }
    }

    /// Of a state.
    int stateBytes() {
        long bytes = 1;
        for (Place place : model) {
            bytes += place.bytes();
        }
        for (Place place : kept) {
            bytes += place.bytes();
        }
        return Math.toIntExact(bytes);
    }

    ByteBuffer state(SessionState state) {
        ByteBuffer bytes = Link.direct(stateBytes());
        boolean fresh = state.optimizer().tensors().isEmpty();
        bytes.put((byte) (fresh ? 0 : 1));
        model.forEach(place -> put(bytes, place, state.model()));
        if (!fresh) {
            kept.forEach(place -> put(bytes, place, state.optimizer()));
        }
        return bytes.flip();
    }

    private static void put(ByteBuffer bytes, Place place, Parameters from) {
        if (place.counts()) {
            bytes.putLong(from.longs(place.name(), place.shape())[0]);
        } else {
            float[] values = from.floats(place.name(), place.shape());
            bytes.asFloatBuffer().put(values);
            bytes.position(bytes.position() + values.length * Float.BYTES);
        }
    }

    SessionState state(ByteBuffer bytes) {
        boolean fresh = bytes.get() == 0;
        Parameters values = parameters(bytes, model);
        return new SessionState(values, fresh ? Parameters.NONE : parameters(bytes, kept));
    }

    private static Parameters parameters(ByteBuffer bytes, List<Place> places) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (Place place : places) {
            if (place.counts()) {
                tensors.put(place.name(), new Tensor.Longs(place.shape(), new long[] {bytes.getLong()}));
            } else {
                tensors.put(
                        place.name(),
                        new Tensor.Floats(
                                place.shape(), floats(bytes, place.shape().elements())));
            }
        }
        return new Parameters(tensors);
    }

    static float[] floats(ByteBuffer bytes, int count) {
        float[] values = new float[count];
        bytes.asFloatBuffer().get(values);
        bytes.position(bytes.position() + count * Float.BYTES);
        return values;
    }

    /// @param firstStep the step of the epoch to go on with
    record Epoch(EpochPlan plan, int firstStep) {}

    /// Of an epoch's plan, at most.
    int epochBytes() {
        return Math.toIntExact(4L * Integer.BYTES
                + (long) Integer.BYTES * workload.dataset().train().size()
                + 2L * Double.BYTES * workload.stepsPerEpoch()
                + (long) Long.BYTES * new TorchRandom(0).state().length);
    }

    ByteBuffer epoch(EpochPlan plan, int firstStep) {
        ByteBuffer bytes = Link.direct(epochBytes());
        bytes.putInt(firstStep).putInt(plan.order().length);
        bytes.putInt(plan.learningRates().length).putInt(plan.momenta().length);
        for (int sample : plan.order()) {
            bytes.putInt(sample);
        }
        for (double rate : plan.learningRates()) {
            bytes.putDouble(rate);
        }
        for (double momentum : plan.momenta()) {
            bytes.putDouble(momentum);
        }
        for (long word : plan.random().state()) {
            bytes.putLong(word);
        }
        return bytes.flip();
    }

    Epoch epoch(ByteBuffer bytes) {
        int firstStep = bytes.getInt();
        int samples = bytes.getInt();
        int rates = bytes.getInt();
        int momenta = bytes.getInt();
        int words = new TorchRandom(0).state().length;
        long expected =
                (long) samples * Integer.BYTES + ((long) rates + momenta) * Double.BYTES + (long) words * Long.BYTES;
        if (samples < 0 || rates < 0 || momenta < 0 || expected != bytes.remaining()) {
            throw new IllegalArgumentException("an epoch of %d samples with %d rates and %d momenta has %d bytes"
                    .formatted(samples, rates, momenta, bytes.remaining()));
        }
        int[] order = new int[samples];
        bytes.asIntBuffer().get(order);
        bytes.position(bytes.position() + samples * Integer.BYTES);
        double[] learningRates = doubles(bytes, rates);
        double[] ownMomenta = doubles(bytes, momenta);
        long[] random = new long[words];
        bytes.asLongBuffer().get(random);
        return new Epoch(new EpochPlan(order, learningRates, ownMomenta, TorchRandom.restore(random)), firstStep);
    }

    private static double[] doubles(ByteBuffer bytes, int count) {
        double[] values = new double[count];
        bytes.asDoubleBuffer().get(values);
        bytes.position(bytes.position() + count * Double.BYTES);
        return values;
    }

    static ByteBuffer number(int value) {
        return Link.direct(Integer.BYTES).putInt(value).flip();
    }

    /// Of a part of the tests.
    int testedBytes() {
        int classes = classes();
        return Math.toIntExact(4L * Double.BYTES + (long) classes * classes * Integer.BYTES);
    }

    private int classes() {
        return workload.loss().isRegression() ? 0 : workload.network().classes();
    }

    ByteBuffer tested(Evaluation evaluation) {
        ByteBuffer bytes = Link.direct(testedBytes());
        bytes.putDouble(evaluation.sampleLossSum()).putDouble(evaluation.weight());
        bytes.putDouble(evaluation.testLossSum()).putDouble(evaluation.absoluteErrorSum());
        for (int[] row : evaluation.confusion()) {
            for (int count : row) {
                bytes.putInt(count);
            }
        }
        return bytes.flip();
    }

    Evaluation tested(ByteBuffer bytes) {
        double sampleLossSum = bytes.getDouble();
        double weight = bytes.getDouble();
        double testLossSum = bytes.getDouble();
        double absoluteErrorSum = bytes.getDouble();
        int classes = classes();
        int[][] confusion = new int[classes][classes];
        for (int[] row : confusion) {
            for (int i = 0; i < classes; i++) {
                row[i] = bytes.getInt();
            }
        }
        return new Evaluation(sampleLossSum, weight, testLossSum, confusion, absoluteErrorSum);
    }

    /// Of a part of the predictions, at most.
    int predictionBytes() {
        return Math.toIntExact(
                (long) workload.dataset().test().size() * workload.network().classes() * Float.BYTES);
    }

    static ByteBuffer predictions(float[] values) {
        ByteBuffer bytes = Link.direct(values.length * Float.BYTES);
        bytes.asFloatBuffer().put(values);
        return bytes;
    }
}
