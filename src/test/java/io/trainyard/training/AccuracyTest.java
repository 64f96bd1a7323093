package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccuracyTest {
    /// Wilson's formula (JASA 1927) with z = 1.959964, computed with Python's decimal arithmetic.
    @ParameterizedTest
    @CsvSource({
        "9, 10, 0.595850, 0.982124",
        "0, 10, 0, 0.277533",
        "10, 10, 0.722467, 1",
        "1, 1, 0.206549, 1",
        "6543, 10000, 0.644921, 0.663561"
    })
    void hasTheWilsonInterval(int right, int all, double low, double high) {
        Accuracy accuracy = Accuracy.of(new int[][] {{right, all - right}, {0, 0}});
        assertThat(accuracy.value()).isEqualTo((double) right / all);
        assertThat(accuracy.low()).isCloseTo(low, within(1e-6));
        assertThat(accuracy.high()).isCloseTo(high, within(1e-6));
        assertThat(accuracy.low()).isLessThanOrEqualTo(accuracy.value()).isNotNegative();
        assertThat(accuracy.high()).isGreaterThanOrEqualTo(accuracy.value()).isLessThanOrEqualTo(1);
    }
}
