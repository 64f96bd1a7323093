package io.trainyard.alert;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AlertRulesTest {
    private static final long NOW = 1_795_000_000_000L;

    private final AlertRules rules = rules(EnumSet.allOf(Rule.class));

    private static AlertRules rules(Set<Rule> wanted) {
        return new AlertRules(
                new AlertSettings(
                        wanted,
                        10,
                        60_000,
                        20,
                        100,
                        10_000,
                        List.of(Threshold.read("test_accuracy<0.6"), Threshold.read(" train_loss > 5e1 "))),
                NOW);
    }

    private List<Alert> take(TrainingEvent event, long millis) {
        return rules.take(new EventRecord(event, millis), millis);
    }

    private static WorkerStatus beat(String worker, boolean stopping) {
        return WorkerStatusBuilder.of(worker, "cpu").stopping(stopping).build();
    }

    @Test
    void alertsOnEndsByRuleButNotOnHistory() {
        assertThat(take(finished("a", 1, 20), NOW)).extracting(Alert::rule).containsExactly(Rule.FINISHED);
        assertThat(take(failed("b", 1, "why"), NOW))
                .extracting(Alert::sentence)
                .containsExactly("job b has failed: why");
        assertThat(rules.take(new Rejected("c", "place", "epochs is 0", NOW), NOW))
                .extracting(Alert::rule)
                .containsExactly(Rule.FAILED);
        assertThat(take(failed("b", 1, "why"), NOW - 1)).isEmpty();
        assertThat(rules(EnumSet.of(Rule.FAILED)).take(new EventRecord(finished("a", 1, 20), NOW), NOW))
                .isEmpty();
    }

    @Test
    void theIdOfAnAlertFollowsFromItsSubject() {
        String id = take(failed("b", 1, "why"), NOW).getFirst().id();
        assertThat(take(failed("b", 1, "why"), NOW + 5).getFirst().id()).isEqualTo(id);
        assertThat(take(failed("c", 1, "why"), NOW).getFirst().id()).isNotEqualTo(id);
        assertThat(take(finished("b", 1, 20), NOW).getFirst().id()).isNotEqualTo(id);
    }

    @Test
    void aJobIsStalledAfterManyTimesItsLongestSilence() {
        take(claimed("a"), NOW);
        take(losses("a", 1, 0, 1, 10), NOW + 1000);
        take(losses("a", 1, 0, 11, 10), NOW + 2000);
        take(tested("a", 1, 0, 20, 0.7), NOW + 9000); // seven seconds, which is a test
        take(losses("a", 1, 0, 21, 10), NOW + 10_000);
        assertThat(rules.look(NOW + 79_999)).isEmpty();
        List<Alert> stalled = rules.look(NOW + 80_000);
        assertThat(stalled).extracting(Alert::rule).containsExactly(Rule.STALLED);
        assertThat(stalled.getFirst().sentence())
                .isEqualTo("job a is stalled: no records for 70.0 s after step 30; its longest pause before was 7.0 s");
        assertThat(rules.look(NOW + 90_000)).as("once").isEmpty();
        take(losses("a", 1, 0, 31, 10), NOW + 100_000);
        assertThat(rules.look(NOW + 999_000)).as("ten times 90 s").isEmpty();
        assertThat(rules.look(NOW + 1_000_000)).hasSize(1);
    }

    @Test
    void pausedAndEndedJobsAreNotStalled() {
        take(losses("a", 1, 0, 1, 10), NOW);
        take(paused("a", 1, 10), NOW + 1);
        take(losses("b", 1, 0, 1, 10), NOW);
        take(finished("b", 1, 10), NOW + 1);
        assertThat(rules.look(NOW + 10_000_000)).isEmpty();
    }

    @Test
    void aSilentWorkerIsLostAndAStoppedOneIsNot() {
        rules.take(beat("old", false), NOW - 1);
        rules.take(beat("w1", false), NOW);
        rules.take(beat("w2", false), NOW);
        rules.take(beat("w2", true), NOW + 1000);
        assertThat(rules.look(NOW + 10_000)).isEmpty();
        List<Alert> lost = rules.look(NOW + 10_001);
        assertThat(lost).extracting(Alert::sentence).containsExactly("worker w1 is lost: it has been silent for 10 s");
        assertThat(rules.look(NOW + 20_000)).isEmpty();
        rules.take(beat("w1", false), NOW + 30_000);
        assertThat(rules.look(NOW + 50_000))
                .extracting(Alert::id)
                .doesNotContain(lost.getFirst().id())
                .hasSize(1);
    }

    @Test
    void thresholdAlertsNameTheirMetric() {
        assertThat(take(tested("a", 1, 0, 10, 0.5), NOW))
                .extracting(Alert::sentence)
                .containsExactly("job a: test_accuracy is 0.5000 at step 10, below 0.6");
        assertThat(take(tested("a", 1, 1, 20, 0.7), NOW)).isEmpty();
        assertThat(take(losses("a", 1, 0, 1, new float[] {49, 51, 52}), NOW))
                .extracting(Alert::id)
                .hasSize(2)
                .containsOnly(new Alert(Rule.THRESHOLD, "a/train_loss>50.0", 1, "", Map.of()).id());
    }

    @Test
    void aLossFarAboveThoseBeforeItIsASpikeOnce() {
        Random random = new Random(3);
        List<Alert> found = new ArrayList<>();
        for (int first = 1; first <= 1000; first += 10) {
            float[] losses = new float[10];
            for (int i = 0; i < 10; i++) {
                losses[i] = (float) (1 + 0.1 * random.nextGaussian() + (first + i >= 701 && first + i <= 705 ? 5 : 0));
            }
            found.addAll(take(losses("a", 1, 0, first, losses), NOW));
            found.addAll(take(losses("a", 1, 0, first, losses), NOW)); // read twice
        }
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().data()).containsEntry("step", 703L);
        assertThat(found.getFirst().sentence()).contains("at step 703, the median of the 100 before is ");
    }

    @Test
    void oneHardBatchIsNoSpike() {
        for (int first = 1; first <= 1000; first += 10) {
            float[] losses = {1, 1.1f, 1, 0.9f, 1, first > 400 ? 50 : 1, 1.1f, 1, first > 400 ? 50 : 0.9f, 1};
            assertThat(take(losses("c", 1, 0, first, losses), NOW))
                    .extracting(Alert::rule)
                    .doesNotContain(Rule.SPIKE);
        }
    }

    @Test
    void measuresEachNewAttemptAndIgnoresOlderOnes() {
        for (int first = 1; first <= 200; first += 10) {
            take(losses("a", 1, 0, first, new float[] {1, 1.1f, 1, 0.9f, 1, 1, 1.1f, 1, 0.9f, 1}), NOW);
        }
        assertThat(take(losses("a", 2, 0, 151, new float[] {40, 40, 40, 40, 40}), NOW))
                .isEmpty();
        assertThat(take(losses("a", 1, 0, 201, new float[] {40, 40, 40, 40, 40}), NOW))
                .isEmpty();
    }
}
