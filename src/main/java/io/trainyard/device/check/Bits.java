package io.trainyard.device.check;

import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// The exact bits of values, in a form that compares and prints.
public final class Bits {
    private Bits() {}

    /// By tensor name, prefixed by `model` or `optimizer`.
    public static Map<String, String> of(SessionState state) {
        Map<String, String> bits = new TreeMap<>();
        state.model().tensors().forEach((name, tensor) -> bits.put("model " + name, of(tensor)));
        state.optimizer().tensors().forEach((name, tensor) -> bits.put("optimizer " + name, of(tensor)));
        return bits;
    }

    private static String of(Tensor tensor) {
        return switch (tensor) {
            case Tensor.Floats floats -> floats.shape() + Arrays.toString(of(floats.values()));
            case Tensor.Longs longs -> longs.shape() + Arrays.toString(longs.values());
        };
    }

    public static int[] of(float[] values) {
        return IntStream.range(0, values.length)
                .map(i -> Float.floatToRawIntBits(values[i]))
                .toArray();
    }
}
