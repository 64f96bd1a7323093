package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Concat;
import io.trainyard.spec.Gate;
import io.trainyard.spec.Join;
import io.trainyard.spec.Network;
import io.trainyard.spec.Residual;
import java.util.ArrayList;
import java.util.List;

/// Branches of one input, whose outputs are added, concatenated or multiplied; the input's gradient is the sum of
/// theirs. The branches draw their masks in order.
final class ReferenceJoin implements ReferenceLayer {
    private final Join spec;
    private final int elements; // of a sample's output
    private final List<ReferenceChain> branches;
    private List<float[]> outputs = List.of(); // of the branches

    ReferenceJoin(Join spec, Network.Layer layer, ReferenceState state) {
        this.spec = spec;
        elements = layer.out().elements();
        branches = layer.branches().stream()
                .map(branch -> ReferenceChain.of(branch, state))
                .toList();
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        outputs = branches.stream()
                .map(branch -> branch.train(in, samples, random))
                .toList();
        return join(outputs, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        return join(
                branches.stream().map(branch -> branch.evaluate(in, samples)).toList(), samples);
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        List<float[]> gradients = split(outGradient, samples);
        List<float[]> ofInput = new ArrayList<>();
        for (int i = 0; i < gradients.size(); i++) {
            ofInput.add(branches.get(i).backward(gradients.get(i), samples));
        }
        return sum(ofInput);
    }

    private float[] join(List<float[]> outputs, int samples) {
        return switch (spec) {
            case Residual _ -> sum(outputs);
            case Concat _ -> {
                float[] joined = new float[samples * elements];
                copy(joined, outputs, samples, true);
                yield joined;
            }
            case Gate _ -> scaled(outputs.getFirst(), outputs.getLast());
        };
    }

    /// The gradients of the branches' outputs.
    private List<float[]> split(float[] gradient, int samples) {
        return switch (spec) {
            case Residual _ -> List.of(gradient, gradient);
            case Concat _ -> {
                List<float[]> parts =
                        outputs.stream().map(output -> new float[output.length]).toList();
                copy(gradient, parts, samples, false);
                yield parts;
            }
            case Gate _ -> {
                float[] values = outputs.getFirst();
                float[] factors = outputs.getLast();
                double[] sums = new double[factors.length];
                for (int i = 0; i < values.length; i++) {
                    sums[i / (values.length / factors.length)] += (double) gradient[i] * values[i];
                }
                yield List.of(scaled(gradient, factors), ReferenceLayer.rounded(sums));
            }
        };
    }

    /// Copies between the samples of `whole` and their parts.
    private static void copy(float[] whole, List<float[]> parts, int samples, boolean toWhole) {
        int at = 0;
        for (int n = 0; n < samples; n++) {
            for (float[] part : parts) {
                int length = part.length / samples;
                if (toWhole) {
                    System.arraycopy(part, n * length, whole, at, length);
                } else {
                    System.arraycopy(whole, at, part, n * length, length);
                }
                at += length;
            }
        }
    }

    /// @param factors one for each channel of each sample
    private static float[] scaled(float[] values, float[] factors) {
        float[] scaled = new float[values.length];
        int area = values.length / factors.length;
        for (int i = 0; i < values.length; i++) {
            scaled[i] = values[i] * factors[i / area];
        }
        return scaled;
    }

    private static float[] sum(List<float[]> addends) {
        float[] sum = addends.getFirst().clone();
        for (float[] addend : addends.subList(1, addends.size())) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += addend[i];
            }
        }
        return sum;
    }
}
