package io.trainyard.device.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Tensor;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private final Comparison comparison = new Comparison(new Tolerance(0.5, 0.1));

    @Test
    void aValueMayBeAsFarAsAbsoluteAndRelativeToleranceTogether() {
        comparison.values("x", new float[] {10, -10, 0}, new float[] {11.5f, -8.5f, 0.5f});
        assertThat(comparison.passed()).isTrue();
        comparison.value("y", 10, 11.51);
        comparison.values("z", new double[] {1, 0}, new double[] {1, -0.51});
        assertThat(comparison.passed()).isFalse();
        assertThat(comparison.differing()).isEqualTo(2);
        assertThat(comparison.differences())
                .extracting(Difference::toString)
                .containsExactly(
                        "y is 11.51, expected is 10.0 within 1.5e+00", "z[1] is -0.51, expected is 0.0 within 5.0e-01");
    }

    @Test
    void recordsTheWorstAndTheFirstDifferences() {
        comparison.values("x", new float[] {100, 0, 0, 0}, new float[] {105, 0.1f, 0.49f, 0.2f});
        assertThat(comparison.worst().orElseThrow().value()).isEqualTo("x[2]");
        comparison.values("y", new float[1000], filled(1000, 7));
        assertThat(comparison.differing()).isEqualTo(1000);
        assertThat(comparison.differences())
                .hasSizeBetween(1, 20)
                .first()
                .extracting(Difference::value)
                .isEqualTo("y[0]");
        assertThat(comparison.worst().orElseThrow().value()).isEqualTo("y[0]");
    }

    @Test
    void acceptsExpectedNonFiniteValues() {
        for (Precision precision : Precision.values()) {
            Comparison same = Comparison.ofNonFinite(precision);
            float[] values = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1};
            same.values("x", values, values.clone());
            assertThat(same.passed()).isTrue();
            assertThat(same.worst()).isPresent();

            Comparison other = Comparison.ofNonFinite(precision);
            other.values("x", values, new float[] {1, Float.NaN, Float.POSITIVE_INFINITY, Float.NaN});
            other.value("y", 1, Double.POSITIVE_INFINITY);
            other.value("z", Double.POSITIVE_INFINITY, 1);
            assertThat(other.differing()).as(precision.toString()).isEqualTo(6);
        }
    }

    @Test
    void neverAcceptsNaN() {
        comparison.value("loss", 1, Double.NaN);
        comparison.value("loss", Double.NaN, Double.NaN);
        comparison.value("loss", 1, Double.POSITIVE_INFINITY);
        assertThat(comparison.differing()).isEqualTo(3);
        assertThat(comparison.worst().orElseThrow().share()).isInfinite();
    }

    @Test
    void wholeNumbersMustBeEqual() {
        comparison.confusion("confusion", new int[][] {{3, 1}, {0, 2}}, new int[][] {{3, 1}, {0, 2}});
        Shape one = Shape.of(1);
        comparison.tensors(
                "model",
                Map.of("steps", new Tensor.Longs(one, new long[] {41})),
                Map.of("steps", new Tensor.Longs(one, new long[] {41})));
        assertThat(comparison.passed()).isTrue();
        comparison.confusion("confusion", new int[][] {{3, 1}, {0, 2}}, new int[][] {{3, 1}, {1, 2}});
        assertThat(comparison.differences()).extracting(Difference::value).containsExactly("confusion[1][0]");
    }

    @Test
    void namesAndSizesMustBeTheSame() {
        Tensor tensor = new Tensor.Floats(Shape.of(2), new float[2]);
        assertThatThrownBy(() -> comparison.values("x", new float[2], new float[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("x has 3 values; expected are 2");
        assertThatThrownBy(() -> comparison.tensors("model", Map.of("a", tensor), Map.of("b", tensor)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("model has the tensors [b]; expected are [a]");
    }

    private static float[] filled(int size, float value) {
        float[] values = new float[size];
        Arrays.fill(values, value);
        return values;
    }
}
