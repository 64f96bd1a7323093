package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// How far a value may be from the expected one: `absolute + relative * |expected|`.
record Tolerance(double absolute, double relative) {
    /// float32 sums in another order, over a few steps of networks whose values are about 1.
    static final Tolerance OF_FLOAT_SUMS = new Tolerance(1e-5, 1e-4);

    void check(String what, double expected, double actual) {
        double allowed = absolute + relative * Math.abs(expected);
        if (!(Math.abs(actual - expected) <= allowed)) {
            fail("%s is %s, expected is %s within %.1e", what, actual, expected, allowed);
        }
    }

    void check(String what, float[] expected, float[] actual) {
        check(what, doubles(expected), doubles(actual));
    }

    void check(String what, double[] expected, double[] actual) {
        assertThat(actual).as(what).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            check(what + "[" + i + "]", expected[i], actual[i]);
        }
    }

    void check(String what, Map<String, Tensor> expected, Map<String, Tensor> actual) {
        assertThat(actual).as(what).containsOnlyKeys(expected.keySet());
        Parameters found = new Parameters(actual);
        expected.forEach((name, tensor) -> {
            switch (tensor) {
                case Tensor.Floats floats ->
                    check(what + " " + name, floats.values(), found.floats(name, floats.shape()));
                case Tensor.Longs longs ->
                    assertThat(found.longs(name, longs.shape()))
                            .as(what + " " + name)
                            .isEqualTo(longs.values());
            }
        });
    }

    private static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /// A state's bits, in a form that compares and prints.
    static Map<String, String> bits(SessionState state) {
        Map<String, String> bits = new TreeMap<>();
        state.model().tensors().forEach((name, tensor) -> bits.put("model " + name, bits(tensor)));
        state.optimizer().tensors().forEach((name, tensor) -> bits.put("optimizer " + name, bits(tensor)));
        return bits;
    }

    private static String bits(Tensor tensor) {
        return switch (tensor) {
            case Tensor.Floats floats -> floats.shape() + Arrays.toString(bits(floats.values()));
            case Tensor.Longs longs -> longs.shape() + Arrays.toString(longs.values());
        };
    }

    static int[] bits(float[] values) {
        return IntStream.range(0, values.length)
                .map(i -> Float.floatToRawIntBits(values[i]))
                .toArray();
    }
}
