package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.spec.JobSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Jobs with losses that become infinite or NaN.
class DivergenceTest extends SmallJobs {
    /// At such a learning rate, two linear layers square their error at every step.
    private static final String DIVERGES = """
            "epochs": 3, "batchSize": 500, "optimizer": {"type": "sgd", "learningRate": 900},
            "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 8}, {"type": "linear", "out": 10}]}""";

    @Test
    void aNonFiniteLossFailsTheJobAndReportsTheStep() {
        JobSpec job = job("a", DIVERGES);
        Outcome outcome = run(job, () -> false);
        float[] losses = losses();
        String reason = "the loss is %s at step %d, where the learning rate is 900.0; no checkpoint was saved before."
                .formatted(losses[losses.length - 1], losses.length);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        o -> assertThat(o.event().reason()).startsWith(reason));
        assertThat(events.getLast()).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.reason()).startsWith(reason);
            assertThat(failed.cause()).isEqualTo("diverged");
        });
        assertThat(losses).hasSizeGreaterThan(1);
        for (int i = 0; i < losses.length - 1; i++) {
            assertThat(losses[i]).isFinite();
        }
        assertThat(losses[losses.length - 1]).matches(loss -> !Float.isFinite(loss));
    }

    /// PyTorch 1.13.1 has the same losses, and NaN at the same steps, with the images and initial weights of
    /// these jobs. The hidden layer's ReLU receives infinities and NaN; if it turned them into 0, later losses
    /// would be finite.
    @ParameterizedTest
    @CsvSource({"50, 128, 5", "5, 128, 8", "5, 64, 9"})
    void failsAtTheStepAtWhichPyTorchsLossIsNoNumber(int learningRate, int batchSize, int step) {
        JobSpec job = job("a", """
                "epochs": 1, "batchSize": %d, "optimizer": {"type": "sgd", "learningRate": %d},
                "network": {"layers": [
                  {"type": "conv2d", "out": 4, "kernel": 3, "stride": 2},
                  {"type": "conv2d", "out": 4, "kernel": 3, "stride": 2}, {"type": "flatten"},
                  {"type": "linear", "out": 16}, {"type": "relu"}, {"type": "linear", "out": 10}]}""".formatted(batchSize, learningRate));
        assertThat(run(job, () -> false))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.event().reason())
                                .startsWith("the loss is NaN at step %d, where the learning rate is %d.0"
                                        .formatted(step, learningRate)));
        assertThat(losses()).hasSize(step);
    }

    /// Each step multiplies the weights by about a million, so they overflow one step before the loss does.
    @Test
    void savesOnlyWeightsThatAreNumbers() {
        JobSpec job = job("a", """
                "epochs": 3, "batchSize": 500,
                "optimizer": {"type": "sgd", "learningRate": 999, "weightDecay": 999},
                "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}""");
        while (run(job, stopAfterQuestions(1)) instanceof Outcome.Released) {
            assertThat(folder("a").checkpoints().newest().orElseThrow().state().firstNotFinite())
                    .isEmpty();
        }
        long saved = of(CheckpointSaved.class).getLast().step();
        assertThat(losses()).hasSize((int) saved + 1);
        assertThat(losses()[(int) saved]).as("the loss before the update").isFinite();
        assertThat(events.getLast())
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> assertThat(failed.reason())
                                .startsWith(
                                        "a value of 1.weight is not finite at step %d, where the learning rate is 999.0; what was trained before is in the checkpoint \"a/%d\", which another job can start from with initFrom."
                                                .formatted(saved + 1, saved)));
        assertThat(folder("a").checkpoints().newest().orElseThrow().progress().step())
                .isEqualTo(saved);
    }
}
