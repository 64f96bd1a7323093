package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.check.Comparison;
import io.trainyard.device.check.Tolerance;
import java.util.Map;

/// Asserts that numbers are equal except for the rounding of float32 sums.
final class Expect {
    private Expect() {}

    static void close(String what, double expected, double actual) {
        Comparison comparison = newComparison();
        comparison.value(what, expected, actual);
        passed(comparison);
    }

    static void close(String what, float[] expected, float[] actual) {
        Comparison comparison = newComparison();
        comparison.values(what, expected, actual);
        passed(comparison);
    }

    static void close(String what, double[] expected, double[] actual) {
        Comparison comparison = newComparison();
        comparison.values(what, expected, actual);
        passed(comparison);
    }

    /// Both may be empty.
    static void close(String what, Map<String, Tensor> expected, Map<String, Tensor> actual) {
        Comparison comparison = newComparison();
        comparison.tensors(what, expected, actual);
        assertThat(comparison.differences()).isEmpty();
    }

    private static Comparison newComparison() {
        return new Comparison(Tolerance.OF_FLOAT_SUMS);
    }

    static void passed(Comparison comparison) {
        assertThat(comparison.differences()).isEmpty();
        assertThat(comparison.worst()).as("number of compared values").isPresent();
    }
}
