package io.trainyard.device.onednn.kernel;

import static io.trainyard.device.onednn.kernel.VectorRuns.LENGTH;
import static io.trainyard.device.onednn.kernel.VectorRuns.load;
import static io.trainyard.device.onednn.kernel.VectorRuns.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;

/// dL/dx = ofGradient dL/dy + ofInput (x - center) + constant, with separate coefficients for each channel.
public final class NormalisationGradient {
    private final VectorRuns runs;
    private final float[] centers; // tables
    private final float[] ofGradients;
    private final float[] ofInputs;
    private final float[] constants;

    public NormalisationGradient(ImageLayout layout, ValueType type) {
        runs = new VectorRuns(layout, type, 2);
        centers = new float[runs.places()];
        ofGradients = new float[runs.places()];
        ofInputs = new float[runs.places()];
        constants = new float[runs.places()];
    }

    /// Sets one of each for every channel, rounded to float32 here.
    public void set(
            double[] channelCenters, double[] channelGradients, double[] channelInputs, double[] channelConstants) {
        runs.spread(channelCenters, centers);
        runs.spread(channelGradients, ofGradients);
        runs.spread(channelInputs, ofInputs);
        runs.spread(channelConstants, constants);
    }

    /// @param inputGradient may be `gradient`
    public void compute(MemorySegment gradient, MemorySegment x, MemorySegment inputGradient) {
        runs.forEachPiece((first, length, table) -> {
            MemorySegment given = runs.read(0, gradient, first, length);
            MemorySegment values = runs.read(1, x, first, length);
            computePiece(given, values, runs.target(0, inputGradient), runs.at(first), length, table);
            runs.wrote(0, inputGradient, first, length);
        });
    }

    private void computePiece(
            MemorySegment gradient, MemorySegment x, MemorySegment inputGradient, long begin, long length, int table) {
        int period = runs.period();
        long last = begin + length - LENGTH;
        for (int place = 0; place < period; place += LENGTH) {
            gradientVectors(gradient, x, inputGradient, begin + place, last, period, table + place);
        }
        rest(gradient, x, inputGradient, begin, length, table);
    }

    private void gradientVectors(
            MemorySegment gradient,
            MemorySegment x,
            MemorySegment inputGradient,
            long first,
            long last,
            int step,
            int at) {
        FloatVector center = FloatVector.fromArray(VectorRuns.FLOATS, centers, at);
        FloatVector ofGradient = FloatVector.fromArray(VectorRuns.FLOATS, ofGradients, at);
        FloatVector ofInput = FloatVector.fromArray(VectorRuns.FLOATS, ofInputs, at);
        FloatVector constant = FloatVector.fromArray(VectorRuns.FLOATS, constants, at);
        for (long i = first; i <= last; i += step) {
            FloatVector fromInput = load(x, i).sub(center).fma(ofInput, constant);
            store(load(gradient, i).fma(ofGradient, fromInput), inputGradient, i);
        }
    }

    private void rest(
            MemorySegment gradient, MemorySegment x, MemorySegment inputGradient, long begin, long length, int table) {
        for (long i = length / LENGTH * LENGTH; i < length; i++) {
            int place = table + (int) (i % runs.period());
            float difference = x.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i) - centers[place];
            float fromInput = Math.fma(difference, ofInputs[place], constants[place]);
            float g = gradient.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i);
            inputGradient.setAtIndex(ValueLayout.JAVA_FLOAT, begin + i, Math.fma(g, ofGradients[place], fromInput));
        }
    }
}
