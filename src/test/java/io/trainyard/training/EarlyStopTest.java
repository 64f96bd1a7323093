package io.trainyard.training;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.Progress.Measured;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import org.junit.jupiter.api.Test;

class EarlyStopTest {
    private static final long MINUTE = 60_000_000;
    private static final long[] RANDOM = {};

    @Test
    void continuesWithoutAStopCondition() {
        assertThat(EarlyStop.reason(job(""), after(1, 1, 1), null)).isEmpty();
    }

    @Test
    void stopsAtTheRequestedAccuracy() {
        JobSpec job = job(", \"stopWhen\": {\"testAccuracyAtLeast\": 0.9}");
        assertThat(EarlyStop.reason(job, Progress.beginning(RANDOM), null)).isEmpty();
        assertThat(EarlyStop.reason(job, after(0.5, 0.899), null)).isEmpty();
        assertThat(EarlyStop.reason(job, after(0.5, 0.9), null)).hasValue("test accuracy 0.9 reached 0.9");
        assertThat(EarlyStop.reason(job, after(0.5, 0.95).plus(1, 0), null))
                .as("in mid-epoch nothing is asked")
                .isEmpty();
    }

    @Test
    void stopsWithoutImprovement() {
        JobSpec job = job(", \"stopWhen\": {\"noImprovementEpochs\": 2}");
        assertThat(EarlyStop.reason(job, after(0.5, 0.4), null)).isEmpty();
        assertThat(EarlyStop.reason(job, after(0.5, 0.4, 0.6), null)).isEmpty();
        assertThat(EarlyStop.reason(job, after(0.5, 0.4, 0.6, 0.6), null)).isEmpty();
        assertThat(EarlyStop.reason(job, after(0.5, 0.4, 0.6, 0.6, 0.5), null))
                .hasValue("no improvement in 2 epochs: the best test accuracy is 0.6, after epoch 2");
        assertThat(EarlyStop.reason(job, after(0, 0), null)).isEmpty();
        assertThat(EarlyStop.reason(job, after(0, 0, 0), null)).isPresent();
    }

    @Test
    void theBestRegressionHasTheLowestLoss() {
        JobSpec job = job(", \"stopWhen\": {\"noImprovementEpochs\": 2}, \"loss\": {\"type\": \"mse\"}");
        Progress at = Progress.beginning(RANDOM);
        for (double loss : new double[] {3, 1, 2}) {
            at = at.plus(1, 10).nextEpoch(RANDOM, new Measured(Double.NaN, loss, -loss), 10);
        }
        assertThat(EarlyStop.reason(job, at, null)).isEmpty();
        Progress over = at.plus(1, 10).nextEpoch(RANDOM, new Measured(Double.NaN, 1, -1), 10);
        assertThat(EarlyStop.reason(job, over, null))
                .hasValue("no improvement in 2 epochs: the best test loss is 1.0, after epoch 1");
        assertThat(over.testLoss()).isEqualTo(1);
        assertThat(over.bestAccuracy()).isZero();
    }

    @Test
    void stopsAtItsTimeLimit() {
        JobSpec job = job(", \"stopWhen\": {\"maxMinutes\": 2.5}");
        Progress almost = Progress.beginning(RANDOM)
                .plus(5, 2 * MINUTE)
                .nextEpoch(RANDOM, new Measured(0.5, 1, 0.5), MINUTE / 2 - 1);
        assertThat(EarlyStop.reason(job, almost, null)).isEmpty();
        Progress over =
                Progress.beginning(RANDOM).plus(5, 2 * MINUTE).nextEpoch(RANDOM, new Measured(0.5, 1, 0.5), MINUTE / 2);
        assertThat(EarlyStop.reason(job, over, null)).hasValue("2.50 minutes of training reached 2.5");
    }

    @Test
    void theChosenMetricDecides() {
        JobSpec job = job(", \"stopWhen\": {\"noImprovementEpochs\": 2}, \"metric\": \"macroF1\"");
        Progress at = Progress.beginning(RANDOM).withMetric(job.metric(), Double.NaN, Double.NaN);
        for (double macroF1 : new double[] {0.1, 0.3, 0.2, 0.3}) {
            at = at.plus(1, 10).nextEpoch(RANDOM, new Measured(at.step(), 1, macroF1), 10);
        }
        assertThat(at.bestEpoch()).isEqualTo(1);
        assertThat(EarlyStop.reason(job, at, null))
                .hasValue("no improvement in 2 epochs: the best test macro F1 is 0.3, after epoch 1");
    }

    private static JobSpec job(String more) {
        String json =
                "{\"id\": \"job\", \"network\": \"lenet\", \"dataset\": \"mnist\", \"epochs\": 9%s}".formatted(more);
        return JobJson.read(json.getBytes(UTF_8));
    }

    /// A job after one-step epochs with these test accuracies.
    private static Progress after(double... accuracies) {
        Progress at = Progress.beginning(RANDOM);
        for (double accuracy : accuracies) {
            at = at.plus(1, 10).nextEpoch(RANDOM, new Measured(accuracy, 1, accuracy), 10);
        }
        return at;
    }
}
