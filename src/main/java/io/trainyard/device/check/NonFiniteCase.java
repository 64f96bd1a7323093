package io.trainyard.device.check;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Targets;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A test case of non-finite values: a small network in which one element of one parameter is NaN, infinite, or
/// so large that its square overflows float32. not_finite.py in src/test/python builds the same networks, images
/// and parameters from the same formulas.
///
/// @param parameter such as `0.bias`
/// @param index of the element among the parameter's values
/// @param first the sample of the first step; the others follow cyclically
public record NonFiniteCase(
        String name, List<LayerSpec> layers, LossSpec loss, String parameter, int index, float value, int first) {
    static final Shape IMAGE = Shape.of(3, 4, 4);
    static final int CLASSES = 2;

    /// One sample in each step, so a loss is that of one sample.
    private static final int SAMPLES = 4;

    /// The first channel's pixels in each sample: below the mean, at it and above it. Infinity times these is
    /// infinite, NaN and infinite. The last sample has NaN only in the last pixel, where no window begins.
    private static final int[][] FIRST_CHANNEL = {
        {255},
        {255, 0, 0},
        {0, 255, 128},
        {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 128}
    };

    private static final long MASKS_SEED = 5;

    /// An odd multiplier gives every remainder: numbers from -0.5 to 0.5 in no visible order.
    private static float draw(int i) {
        return (i * 37 % 101 - 50) / 100f;
    }

    /// Normalized so that the middle byte of the first channel becomes exactly 0.
    public Workload workload() {
        byte[] pixels = new byte[SAMPLES * IMAGE.elements()];
        int area = IMAGE.size(1) * IMAGE.size(2);
        for (int i = 0; i < pixels.length; i++) {
            int sample = i / IMAGE.elements();
            int[] firstChannel = FIRST_CHANNEL[sample];
            boolean first = i % IMAGE.elements() < area;
            pixels[i] = (byte) (first ? firstChannel[i % area % firstChannel.length] : i * 73 % 251);
        }
        Dataset.Split classes = new Dataset.Split(pixels, new byte[] {0, 1, 0, 1});
        Dataset.Split split = loss.isRegression() ? new Dataset.Split(classes.samples(), numbers()) : classes;
        List<Double> middle = Collections.nCopies(3, (double) (128 / 255f));
        return new Workload(
                Network.fit(NetworkSpec.ofLayers(layers), IMAGE, CLASSES),
                loss,
                CheckWorkload.PLAIN,
                LoopSpec.NONE,
                1,
                new Dataset("few", IMAGE, CLASSES, split, split),
                PixelScale.of(IMAGE.size(0), new Normalize(middle, Collections.nCopies(3, 0.5))),
                AugmentSpec.NONE,
                Precision.FP32,
                0,
                true);
    }

    private static Targets.Numbers numbers() {
        float[] values = new float[SAMPLES * CLASSES];
        for (int i = 0; i < values.length; i++) {
            values[i] = draw(i);
        }
        return new Targets.Numbers(values, CLASSES);
    }

    public SessionState state() {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        int drawn = 0;
        for (ParameterSpec spec : workload().network().parameters()) {
            if (spec.init() instanceof ParameterSpec.Init.Counter) {
                tensors.put(spec.name(), new Tensor.Longs(spec.shape(), new long[] {0}));
                continue;
            }
            float[] values = new float[spec.shape().elements()];
            float middle = spec.init() instanceof ParameterSpec.Init.Constant constant ? constant.value() : 0;
            for (int i = 0; i < values.length; i++) {
                values[i] = middle + draw(drawn++);
            }
            if (spec.name().equals(parameter)) {
                values[index] = value;
            }
            tensors.put(spec.name(), new Tensor.Floats(spec.shape(), values));
        }
        if (!tensors.containsKey(parameter)) {
            throw new IllegalArgumentException(
                    "row \"%s\" has no parameter %s; it has %s".formatted(name, parameter, tensors.keySet()));
        }
        return new SessionState(new Parameters(tensors), Parameters.NONE);
    }

    public EpochPlan plan() {
        int[] order = new int[SAMPLES];
        Arrays.setAll(order, i -> (first + i) % SAMPLES);
        return new EpochPlan(order, CheckWorkload.constantRates(workload()), new TorchRandom(MASKS_SEED));
    }

    @Override
    public String toString() {
        return name;
    }
}
