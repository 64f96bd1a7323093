package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.event.ClassMetrics;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/// Jobs that choose which test is best. Their learning rate is so large that accuracy, macro F1 and loss disagree.
class MetricTest extends SmallJobs {
    private static final String FIELDS = """
            "epochs": 8, "batchSize": 500, "shuffle": true, "keepBest": true, "keepLast": 1, "device": "cpu", "seed": %d,
            "network": {"layers": [{"type": "maxPool2d", "kernel": 4}, {"type": "flatten"}, {"type": "linear", "out": 10}]},
            "optimizer": {"type": "sgd", "learningRate": 3}, "metric": "%s\"""";

    @Test
    void theBestCheckpointIsThatOfTheMetricAlsoAfterInterruptions() {
        JobSpec job = disagreeing("macroF1");
        List<EpochTested> tests = of(EpochTested.class);
        EpochTested best = best(tests, MetricTest::macroF1);
        assertThat(tests).allSatisfy(test -> assertThat(test.metricValue()).isEqualTo(macroF1(test)));
        assertThat(((Finished) events.getLast()).bestMetricValue()).isEqualTo(macroF1(best));
        assertThat(((Finished) events.getLast()).bestTestLoss()).isEqualTo(best.testLoss());
        assertThat(best(job)).isEqualTo(job.id() + "/" + best.step());

        JobSpec cut = job("cut", FIELDS.formatted(job.seed(), "macroF1"));
        events.clear();
        while (run(cut, stopAfterQuestions(7)) instanceof Outcome.Released) {
            assertThat(events.getLast()).isInstanceOf(Released.class);
        }
        assertThat(((Finished) events.getLast()).bestMetricValue()).isEqualTo(macroF1(best));
        assertThat(best(cut)).isEqualTo("cut/" + best.step());
    }

    @Test
    void theLossOfAClassificationDecides() {
        JobSpec job = disagreeing("loss");
        EpochTested best = best(of(EpochTested.class), test -> -test.testLoss());
        assertThat(((Finished) events.getLast()).bestMetricValue()).isEqualTo(best.testLoss());
        assertThat(best(job)).isEqualTo(job.id() + "/" + best.step());
    }

    /// The first job whose best test by the metric is not that with the highest accuracy; it has run.
    private JobSpec disagreeing(String metric) {
        for (int seed = 0; seed < 20; seed++) {
            JobSpec job = job("whole-" + seed, FIELDS.formatted(seed, metric));
            events.clear();
            run(job, () -> false);
            List<EpochTested> tests = of(EpochTested.class);
            EpochTested best = best(tests, metric.equals("loss") ? test -> -test.testLoss() : MetricTest::macroF1);
            if (best != best(tests, test -> Objects.requireNonNull(test.testAccuracy()))) {
                return job;
            }
        }
        throw new AssertionError("accuracy and %s agree for all seeds".formatted(metric));
    }

    private static double macroF1(EpochTested test) {
        return ClassMetrics.macroF1(test.confusion());
    }

    private static EpochTested best(List<EpochTested> tests, ToDoubleFunction<EpochTested> score) {
        return tests.stream()
                .max(Comparator.comparingDouble(score)
                        .thenComparing(
                                Comparator.comparingInt(EpochTested::epoch).reversed()))
                .orElseThrow();
    }

    private String best(JobSpec job) {
        CheckpointStore store = CheckpointStore.open(root.resolve("checkpoints").toUri());
        return SavedModel.find(store, CheckpointName.parse("checkpoint", job.id() + "/best"))
                .name()
                .toString();
    }
}
