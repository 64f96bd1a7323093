package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Slow;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Jobs with more than one attempt.
@Slow
class ResumeTest extends SmallJobs {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        `{"type": "sgd", "learningRate": 0.05, "momentum": 0.9, "weightDecay": 0.001}` | `{"type": "constant"}` | `"device": "cpu"`
        `{"type": "adamw", "learningRate": 0.01}` | `{"type": "warmup", "steps": 3, "then": {"type": "cosine", "minLearningRate": 0.002}}` | `"device": "cpu"`
        `{"type": "rmsprop", "momentum": 0.9}` | `{"type": "oneCycle", "maxLearningRate": 0.003, "cycleMomentum": true}` | `"device": "cpu", "accumulateSteps": 2`
        `{"type": "sgd", "learningRate": 0.05, "momentum": 0.9, "dampening": 0.5}` | `{"type": "cosineRestarts", "periodEpochs": 1}` | `"device": "cpu", "clipGradients": {"norm": 0.5}, "dropLast": true`
        `{"type": "adam", "learningRate": 0.01, "amsgrad": true}` | `{"type": "exponential", "gamma": 0.5}` | `"device": "cpu", "ema": {"decay": 0.9}, "accumulateSteps": 3, "clipGradients": {"value": 0.01}`
        `{"type": "adamw", "learningRate": 0.01}` | `{"type": "constant"}` | `"devices": ["cpu", "cpu", "cpu"], "network": {"layers": [{"type": "conv2d", "out": 4, "kernel": 5, "stride": 3}, {"type": "dropout", "p": 0.2}, {"type": "flatten"}, {"type": "linear", "out": 10}]}`
        `{"type": "adamw", "learningRate": 0.01, "groups": [{"parameters": ["fc"], "learningRate": 0.02}]}` | `{"type": "cosine"}` | `"devices": ["cpu", "cpu"], "freeze": ["conv", "bn"], "freezeBatchNorm": true, "network": {"layers": [{"type": "conv2d", "name": "conv", "out": 4, "kernel": 5, "stride": 3}, {"type": "batchNorm2d", "name": "bn"}, {"type": "conv2d", "out": 4, "kernel": 3, "stride": 3}, {"type": "batchNorm2d"}, {"type": "flatten"}, {"type": "linear", "name": "fc", "out": 10}]}`
        `{"type": "adamw", "learningRate": 0.01}` | `{"type": "constant"}` | `"devices": ["cpu", "cpu"], "sampler": "balanced", "dataset": {"name": "shapes28", "split": {"validation": 0.2}}`
        """)
    void endsWithTheSameBitsWhereverItWasInterrupted(String optimizer, String schedule, String devices) {
        String fields =
                "\"epochs\": 2, \"batchSize\": 2500, \"shuffle\": %s, \"seed\": 3, \"optimizer\": %s, \"schedule\": %s, %s"
                        .formatted(!devices.contains("sampler"), optimizer, schedule, devices);
        run(job("whole", fields), () -> false);
        float[] losses = losses();
        String sha256 = ((Finished) events.getLast()).parametersSha256();
        events.clear();

        int attempts = 1;
        while (run(job("cut", fields), stopAfterQuestions(1))
                instanceof Outcome.Released) { // each attempt takes one step
            assertThat(events.getLast()).isInstanceOf(Released.class);
            attempts++;
        }
        assertThat(attempts).isEqualTo(losses.length);
        assertThat(((Finished) events.getLast()).parametersSha256()).isEqualTo(sha256);
        assertThat(((Finished) events.getLast()).attempt()).isEqualTo(attempts);
        assertThat(losses()).isEqualTo(losses);
        assertThat(of(EpochTested.class)).extracting(EpochTested::epoch).containsExactly(0, 1);
    }

    /// With a learning rate of 0 the accuracy never changes. Each attempt takes one step.
    @Test
    void stopsAtTheSameEpochAfterInterruptions() {
        JobSpec job = job("a", """
                "epochs": 9, "batchSize": 2000, "stopWhen": {"noImprovementEpochs": 2},
                "optimizer": {"type": "sgd", "learningRate": 0},
                "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}""");
        while (run(job, stopAfterQuestions(1)) instanceof Outcome.Released) {
            assertThat(events.getLast()).isInstanceOf(Released.class);
        }
        Finished finished = (Finished) events.getLast();
        assertThat(of(EpochTested.class)).extracting(EpochTested::epoch).containsExactly(0, 1, 2);
        assertThat(finished.stoppedEarly())
                .startsWith("no improvement in 2 epochs: the best test accuracy is ")
                .endsWith(", after epoch 0");
        assertThat(folder("a").checkpoints().newest().orElseThrow().progress().workedMicros())
                .isPositive();
    }

    /// Interrupted after every step, and killed before the test part is measured. The best epoch is neither the last
    /// nor one with a regular checkpoint.
    @Test
    void measuresTheTestPartAtTheEndWithTheBestWeights() {
        String fields = """
                "epochs": 5, "batchSize": 3000, "seed": 3, "shuffle": true, "keepLast": 1, "checkpointEveryEpochs": 100,
                "dataset": {"name": "shapes28", "split": {"validation": 0.4, "seed": 5}},
                "optimizer": {"type": "sgd", "learningRate": 0.5}, "schedule": {"type": "exponential", "gamma": 3},
                "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}""";
        run(job("whole", fields), () -> false);
        EpochTested test = Objects.requireNonNull(((Finished) events.getLast()).test());
        List<Double> accuracies =
                of(EpochTested.class).stream().map(EpochTested::testAccuracy).toList();
        assertThat(test.epoch())
                .isEqualTo(accuracies.indexOf(Collections.max(accuracies)))
                .isLessThan(4);
        assertThat(test.testLoss())
                .isNotEqualTo(of(EpochTested.class).get(test.epoch()).testLoss());
        assertThat(test.step()).isEqualTo(2L * (test.epoch() + 1));
        assertThat(folder("whole").model(test.step(), false).epoch()).isEqualTo(test.epoch());

        while (run(job("cut", fields), stopAfterQuestions(1)) instanceof Outcome.Released) {
            assertThat(events.getLast()).isInstanceOf(Released.class);
        }
        assertSameTest(test);

        JobSpec job = job("killed", fields);
        Supervisor killer = Supervisor.of(
                event -> {
                    if (event instanceof CheckpointSaved saved && saved.step() == 10) {
                        throw new SupervisorException("killed after the last checkpoint", null);
                    }
                },
                () -> false);
        JobTraining training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("cpu"), 0, "tester");
        assertThatThrownBy(() -> training.run(job, folder("killed"), killer)).hasMessageContaining("killed");
        events.clear();
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(of(StepLosses.class)).isEmpty();
        assertThat(of(EpochTested.class)).isEmpty();
        assertSameTest(test);
    }

    private void assertSameTest(EpochTested test) {
        EpochTested again = Objects.requireNonNull(((Finished) events.getLast()).test());
        assertThat(again)
                .usingRecursiveComparison()
                .ignoringFields("job", "attempt", "testMillis")
                .isEqualTo(test);
    }

    /// Killed between the last epoch's checkpoint and the job's end.
    @Test
    void anAttemptAfterTheConditionWasMetTrainsNothing() {
        String fields = "\"epochs\": 9, \"batchSize\": 1500, \"stopWhen\": {\"testAccuracyAtLeast\": 1e-9}";
        run(job("a", fields), () -> false);
        Finished first = (Finished) events.getLast();
        Checkpoint last = folder("a").checkpoints().newest().orElseThrow();
        assertThat(folder("b").keepSpec(JobJson.write(job("b", fields)))).isTrue();
        var _ = folder("b").checkpoints().save(last);
        events.clear();

        assertThat(run(job("b", fields), () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(of(StepLosses.class)).isEmpty();
        Finished second = (Finished) events.getLast();
        assertThat(second.stoppedEarly()).isEqualTo(first.stoppedEarly());
        assertThat(second.parametersSha256()).isEqualTo(first.parametersSha256());
        assertThat(second.steps()).isEqualTo(first.steps());
        assertThat(second.p99StepMicros()).isZero();
    }
}
