package io.trainyard.device.onednn.kernel;

import static io.trainyard.device.onednn.kernel.Runs.LENGTH;
import static io.trainyard.device.onednn.kernel.Runs.load;
import static io.trainyard.device.onednn.kernel.Runs.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;

/// dL/dx = ofGradient dL/dy + ofInput (x - center) + constant, each channel with its own four.
public final class NormalisationGradient {
    private final Runs runs;
    private final float[] centers; // tables
    private final float[] ofGradients;
    private final float[] ofInputs;
    private final float[] constants;

    public NormalisationGradient(ImageLayout layout) {
        runs = new Runs(layout);
        centers = new float[runs.places()];
        ofGradients = new float[runs.places()];
        ofInputs = new float[runs.places()];
        constants = new float[runs.places()];
    }

    /// One of each for every channel, rounded to float32 here.
    public void set(
            double[] channelCenters, double[] channelGradients, double[] channelInputs, double[] channelConstants) {
        runs.spread(channelCenters, centers);
        runs.spread(channelGradients, ofGradients);
        runs.spread(channelInputs, ofInputs);
        runs.spread(channelConstants, constants);
    }

    /// @param inputGradient may be `gradient`
    public void compute(MemorySegment gradient, MemorySegment x, MemorySegment inputGradient) {
        ImageLayout layout = runs.layout();
        int period = runs.period();
        for (int n = 0; n < layout.samples(); n++) {
            for (int b = 0; b < layout.blocks(); b++) {
                long begin = layout.begin(n, b);
                long last = begin + layout.run() - LENGTH;
                for (int place = 0; place < period; place += LENGTH) {
                    gradientVectors(gradient, x, inputGradient, begin + place, last, period, b * period + place);
                }
                rest(gradient, x, inputGradient, begin, b * period);
            }
        }
    }

    private void gradientVectors(
            MemorySegment gradient,
            MemorySegment x,
            MemorySegment inputGradient,
            long first,
            long last,
            int step,
            int at) {
        FloatVector center = FloatVector.fromArray(Runs.FLOATS, centers, at);
        FloatVector ofGradient = FloatVector.fromArray(Runs.FLOATS, ofGradients, at);
        FloatVector ofInput = FloatVector.fromArray(Runs.FLOATS, ofInputs, at);
        FloatVector constant = FloatVector.fromArray(Runs.FLOATS, constants, at);
        for (long i = first; i <= last; i += step) {
            FloatVector fromInput = load(x, i).sub(center).fma(ofInput, constant);
            store(load(gradient, i).fma(ofGradient, fromInput), inputGradient, i);
        }
    }

    /// What is less than a vector at a run's end.
    private void rest(MemorySegment gradient, MemorySegment x, MemorySegment inputGradient, long begin, int table) {
        long run = runs.layout().run();
        for (long i = run / LENGTH * LENGTH; i < run; i++) {
            int place = table + (int) (i % runs.period());
            float difference = x.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i) - centers[place];
            float fromInput = Math.fma(difference, ofInputs[place], constants[place]);
            float g = gradient.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i);
            inputGradient.setAtIndex(ValueLayout.JAVA_FLOAT, begin + i, Math.fma(g, ofGradients[place], fromInput));
        }
    }
}
