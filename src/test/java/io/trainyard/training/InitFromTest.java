package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Jobs that start from another job's checkpoint, or evaluate it.
@Slow
class InitFromTest extends SmallJobs {
    /// With a learning rate of 0, the other job's weights equal this job's own initial weights.
    @Test
    void startsFromAnotherJobsCheckpointWithTheSameRandomNumbers() {
        String fields = "\"epochs\": 1, \"batchSize\": 1500, \"shuffle\": true, \"seed\": 3, \"optimizer\": "
                + "{\"type\": \"sgd\", \"learningRate\": %s, \"momentum\": 0.9}";
        run(job("drawn", fields.formatted("0.05")), () -> false);
        float[] losses = losses();
        run(job("source", fields.formatted("0")), () -> false);
        CheckpointSaved saved = of(CheckpointSaved.class).getLast();
        events.clear();

        run(job("a", fields.formatted("0.05") + ", \"initFrom\": \"source\""), () -> false);
        assertThat(losses()).isEqualTo(losses);
        assertThat(of(Started.class).getFirst().initFrom()).isEqualTo(new CheckpointName("source", saved.step()));
        assertThat(of(Started.class).getFirst().firstStep()).isEqualTo(1);
    }

    @Test
    void resumesFromItsOwnCheckpoints() {
        run(job("source", "\"epochs\": 2, \"batchSize\": 1500"), () -> false);
        long first = of(CheckpointSaved.class).getFirst().step();
        String fields = "\"epochs\": 1, \"batchSize\": 1500, \"initFrom\": \"source/%d\"".formatted(first);
        events.clear();
        run(job("whole", fields), () -> false);
        String sha256 = ((Finished) events.getLast()).parametersSha256();
        run(job("other", fields.replace("/" + first, "")), () -> false);
        assertThat(((Finished) events.getLast()).parametersSha256()).isNotEqualTo(sha256);
        while (run(job("cut", fields), stopAfterQuestions(1)) instanceof Outcome.Released) {
            assertThat(events.getLast()).isInstanceOf(Released.class);
        }
        assertThat(((Finished) events.getLast()).parametersSha256()).isEqualTo(sha256);
        assertThat(of(Started.class).getLast().initFrom()).isEqualTo(new CheckpointName("source", first));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        source/7 | `"dataset": "shapes32"` | `there is no checkpoint "source/7"; there are the steps 3, 6 in `
        nobody   | `"dataset": "shapes32"` | `there is no checkpoint "nobody": no job of that id has saved one in `
        source   | `"dataset": "shapes28"` | `the checkpoint source/6 does not fit the network (7 layers). of another shape: 0.weight is float32 of shape 4x3x5x5; expected is float32 of shape 4x1x5x5`
        source   | `"network": "lenet"`    | `the checkpoint source/6 does not fit the network (lenet). missing: conv1.weight, conv1.bias, conv2.weight, conv2.bias, fc1.weight, fc1.bias, fc2.weight, fc2.bias, fc3.weight, fc3.bias; unexpected: 0.weight, `
        """)
    void aMissingCheckpointOrOneOfAnotherNetworkFailsTheJob(String initFrom, String field, String reason) {
        run(job("source", "\"epochs\": 2, \"batchSize\": 3000"), () -> false);
        JobSpec job = job("a", "\"epochs\": 1, \"initFrom\": \"%s\", %s".formatted(initFrom, field));
        assertThat(run(job, () -> false))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        o -> assertThat(o.event().reason()).startsWith(reason));
        assertThat(events.getLast())
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).startsWith(reason));
    }

    /// As one job that has all epochs from the beginning, also with schedules that depend on their number.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type': 'sgd', 'learningRate': 0.05, 'momentum': 0.9}, 'schedule': {'type': 'step', 'stepSize': 1}",
                "{'type': 'adam', 'learningRate': 0.005}, 'ema': {'decay': 0.9}"
            })
    void goesOnWithMoreEpochs(String optimizer) {
        String fields = "\"batchSize\": 1500, \"shuffle\": true, \"optimizer\": " + optimizer.replace('\'', '"');
        run(job("whole", fields + ", \"epochs\": 3"), () -> false);
        String sha256 = ((Finished) events.getLast()).parametersSha256();
        long steps = of(CheckpointSaved.class).getFirst().step();
        run(job("a", fields + ", \"epochs\": 1"), () -> false);
        events.clear();
        JobSpec more = job("b", fields + ", \"epochs\": 3, \"continueFrom\": \"a\"");
        while (run(more, stopAfterQuestions(2)) instanceof Outcome.Released) {
            assertThat(events.getLast()).isInstanceOf(Released.class);
        }
        assertThat(((Finished) events.getLast()).parametersSha256()).isEqualTo(sha256);
        assertThat(of(Started.class).getFirst().firstStep()).isEqualTo(steps + 1);
        assertThat(of(Started.class).getFirst().initFrom()).isEqualTo(new CheckpointName("a", steps));
    }

    @Test
    void schedulesThatDependOnTheEpochsAreThoseOfAllEpochs() {
        String fields = "\"batchSize\": 1500, \"schedule\": {\"type\": \"cosine\"}, \"epochs\": ";
        run(job("whole", fields + 3), () -> false);
        Double rate = of(StepLosses.class).getLast().learningRate();
        run(job("a", fields + 1), () -> false);
        run(job("b", fields + "3, \"continueFrom\": \"a\""), () -> false);
        assertThat(of(StepLosses.class).getLast().learningRate()).isEqualTo(rate);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        a    | `"epochs": 1`                                     | `epochs is 1, and a has trained 1 already; epochs is the number of all epochs`
        a    | `"epochs": 2, "batchSize": 1000`                  | `a has trained 5 steps in 1 epochs, and this job has 7 steps in each; continueFrom needs the same network, `
        a    | `"epochs": 2, "metric": "macroF1"`                | `metric is "macroF1", but the best test of a is that by "accuracy"; continueFrom needs the same metric, `
        a    | `"epochs": 2, "optimizer": {"type": "adam"}`      | `the state of a does not fit: parameter 0.weight.exp_avg is missing; expected is float32 of shape 4x3x5x5; continueFrom needs `
        a/7  | `"epochs": 2`                                     | `there is no checkpoint "a/7" with a training state in `
        none | `"epochs": 2`                                     | `there is no checkpoint "none" with a training state in `
        """)
    void whatCannotGoOnFailsTheJob(String from, String fields, String reason) {
        run(job("a", "\"epochs\": 1, \"batchSize\": 1500"), () -> false);
        JobSpec job = job("b", "\"batchSize\": 1500, \"continueFrom\": \"%s\", %s".formatted(from, fields));
        assertThat(run(job, () -> false))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        o -> assertThat(o.event().reason()).startsWith(reason));
    }

    @Test
    void evaluatesACheckpoint() {
        run(job("source", "\"epochs\": 2, \"batchSize\": 1500"), () -> false);
        List<EpochTested> trained = of(EpochTested.class);
        String sha256 = ((Finished) events.getLast()).parametersSha256();
        for (int epoch = 0; epoch < 2; epoch++) {
            events.clear();
            EpochTested then = trained.get(epoch);
            String initFrom = epoch == 1 ? "source" : "source/" + then.step();
            JobSpec job = job(
                    "test-" + epoch,
                    "\"kind\": \"evaluate\", \"batchSize\": 1500, \"initFrom\": \"%s\"".formatted(initFrom));
            assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);

            assertThat(events)
                    .hasExactlyElementsOfTypes(Claimed.class, Started.class, EpochTested.class, Finished.class);
            assertThat(of(Started.class).getFirst().initFrom()).isEqualTo(new CheckpointName("source", then.step()));
            assertThat(of(Started.class).getFirst().stepsPerEpoch()).isZero();
            EpochTested test = of(EpochTested.class).getFirst();
            assertThat(test)
                    .usingRecursiveComparison()
                    .ignoringFields("job", "trainMillis", "testMillis", "samplesPerSecond", "epochTime")
                    .isEqualTo(then);
            assertThat(test.epochTime()).isNull();
            Finished finished = (Finished) events.getLast();
            assertThat(finished.steps()).isZero();
            assertThat(finished.bestTestAccuracy()).isEqualTo(then.testAccuracy());
        }
        assertThat(((Finished) events.getLast()).parametersSha256()).isEqualTo(sha256);
        assertThat(folder("test-1").checkpoints().newest())
                .as("nothing is saved")
                .isEmpty();
    }

    @Test
    void requeuesAnEvaluationWhenTheWorkerStops() {
        run(job("source", "\"epochs\": 1, \"batchSize\": 3000"), () -> false);
        JobSpec job = job("a", "\"kind\": \"evaluate\", \"initFrom\": \"source\"");
        assertThat(run(job, () -> true)).isInstanceOf(Outcome.Released.class);
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(((Finished) events.getLast()).attempt()).isEqualTo(2);
    }
}
