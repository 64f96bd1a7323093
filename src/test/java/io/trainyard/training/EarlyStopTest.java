package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.Progress;
import io.trainyard.spec.StopWhen;
import org.junit.jupiter.api.Test;

class EarlyStopTest {
    private static final long MINUTE = 60_000_000;
    private static final long[] RANDOM = {};

    @Test
    void continuesWithoutAStopCondition() {
        assertThat(EarlyStop.reason(null, after(1, 1, 1), null)).isEmpty();
    }

    @Test
    void stopsAtTheRequestedAccuracy() {
        StopWhen stopWhen = new StopWhen(0.9, null, null);
        assertThat(EarlyStop.reason(stopWhen, Progress.beginning(RANDOM), null)).isEmpty();
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.899), null)).isEmpty();
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.9), null)).hasValue("test accuracy 0.9 reached 0.9");
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.95).plus(1, 0), null))
                .as("in mid-epoch nothing is asked")
                .isEmpty();
    }

    @Test
    void stopsWithoutImprovement() {
        StopWhen stopWhen = new StopWhen(null, 2, null);
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.4), null)).isEmpty();
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.4, 0.6), null)).isEmpty();
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.4, 0.6, 0.6), null)).isEmpty();
        assertThat(EarlyStop.reason(stopWhen, after(0.5, 0.4, 0.6, 0.6, 0.5), null))
                .hasValue("no improvement in 2 epochs: the best test accuracy is 0.6, after epoch 2");
        assertThat(EarlyStop.reason(stopWhen, after(0, 0), null)).isEmpty();
        assertThat(EarlyStop.reason(stopWhen, after(0, 0, 0), null)).isPresent();
    }

    @Test
    void theBestRegressionHasTheLowestLoss() {
        StopWhen stopWhen = new StopWhen(null, 2, null);
        Progress at = Progress.beginning(RANDOM);
        for (double loss : new double[] {3, 1, 2}) {
            at = at.plus(1, 10).nextEpoch(RANDOM, Double.NaN, loss, 10);
        }
        assertThat(EarlyStop.reason(stopWhen, at, null)).isEmpty();
        Progress over = at.plus(1, 10).nextEpoch(RANDOM, Double.NaN, 1, 10);
        assertThat(EarlyStop.reason(stopWhen, over, null))
                .hasValue("no improvement in 2 epochs: the best test loss is 1.0, after epoch 1");
        assertThat(over.testLoss()).isEqualTo(1);
        assertThat(over.bestAccuracy()).isZero();
    }

    @Test
    void stopsAtItsTimeLimit() {
        StopWhen stopWhen = new StopWhen(null, null, 2.5);
        Progress almost = Progress.beginning(RANDOM).plus(5, 2 * MINUTE).nextEpoch(RANDOM, 0.5, 1, MINUTE / 2 - 1);
        assertThat(EarlyStop.reason(stopWhen, almost, null)).isEmpty();
        Progress over = Progress.beginning(RANDOM).plus(5, 2 * MINUTE).nextEpoch(RANDOM, 0.5, 1, MINUTE / 2);
        assertThat(EarlyStop.reason(stopWhen, over, null)).hasValue("2.50 minutes of training reached 2.5");
    }

    /// A job after one-step epochs with these test accuracies.
    private static Progress after(double... accuracies) {
        Progress at = Progress.beginning(RANDOM);
        for (double accuracy : accuracies) {
            at = at.plus(1, 10).nextEpoch(RANDOM, accuracy, 1, 10);
        }
        return at;
    }
}
