package io.trainyard.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Jobs of two epochs of ten steps each.
class JobStateTest {
    private static final JobSpec SPEC = JobJson.read(
            "{\"id\": \"a\", \"network\": \"lenet\", \"dataset\": \"shapes32\", \"epochs\": 2, \"batchSize\": 8}"
                    .getBytes(StandardCharsets.UTF_8));

    @Test
    void followsAJobToItsEnd() {
        JobState state = new JobState("a");
        assertThat(state.status()).isEqualTo(Status.WAITING);

        state.apply(claimed(1));
        assertThat(state.status()).isEqualTo(Status.CLAIMED);
        state.apply(started(1, 1));
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        assertThat(state.steps()).isEqualTo(20);

        state.apply(losses(1, 0, 1, 2.5f, 2.0f));
        assertThat(state.step()).isEqualTo(2);
        assertThat(state.loss()).isEqualTo(2.0f);
        assertThat(state.imagesPerSecond()).isEqualTo(2 * 8 / 0.002);
        assertThat(state.remainingMicros()).isEqualTo(18_000);

        state.apply(tested(1, 0, 10, 0.5));
        state.apply(new CheckpointSaved("a", 1, "file:///x", "00", 1, 0, 10));
        state.apply(tested(1, 1, 20, 0.25));
        state.apply(finished(1));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.step()).isEqualTo(20);
        assertThat(state.testAccuracy()).isEqualTo(0.25);
        assertThat(state.checkpoint()).isEqualTo("file:///x");
        assertThat(state.remainingMicros()).isZero();
        assertThat(state.reason()).isEqualTo("done");
        assertThat(state.stepTimes()).isEqualTo(new JobState.StepTimes(100, 110, 120));
        assertThat(state.epochs().getLast().accuracyHigh()).isEqualTo(1);
    }

    @Test
    void anEndSeenBeforeTheLastLossesStays() {
        JobState state = stateAfter(claimed(1), started(1, 1), finished(1), losses(1, 1, 19, 1f, 0.5f));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.step()).isEqualTo(20);
    }

    @Test
    void anOlderAttemptChangesNothing() {
        JobState state = stateAfter(claimed(2), started(2, 1), losses(2, 0, 1, 2f));
        state.apply(losses(1, 1, 15, 9f));
        state.apply(new Failed("a", 1, "too late"));
        assertThat(state.step()).isEqualTo(1);
        assertThat(state.loss()).isEqualTo(2f);
        assertThat(state.status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void aNewAttemptKeepsTheEpochsBeforeItsFirstStep() {
        JobState state = stateAfter(claimed(1), started(1, 1), tested(1, 0, 10, 0.5), tested(1, 1, 20, 0.9));
        state.apply(tested(2, 1, 20, 0.6)); // before the start of its attempt: another topic
        state.apply(started(2, 11));
        assertThat(state.epochs()).extracting(JobState.Epoch::attempt).containsExactly(1, 2);
        assertThat(state.epochs()).extracting(JobState.Epoch::testAccuracy).containsExactly(0.5, 0.6);
        assertThat(state.step()).isEqualTo(10);
    }

    @Test
    void aReleasedJobWaitsForItsNextAttempt() {
        JobState state = stateAfter(claimed(1), started(1, 1), losses(1, 0, 1, 2f));
        state.apply(new Released("a", 1, 1, "worker stops"));
        state.apply(losses(1, 0, 1, 2f)); // late, from another topic
        assertThat(state.status()).isEqualTo(Status.WAITING);
        assertThat(state.reason()).isEqualTo("worker stops");

        state.apply(claimed(2));
        assertThat(state.status()).isEqualTo(Status.CLAIMED);
        assertThat(state.reason()).isNull();
    }

    @Test
    void refusesAnotherJobsEvents() {
        assertThatThrownBy(() -> new JobState("b").apply(claimed(1))).isInstanceOf(IllegalArgumentException.class);
    }

    private static JobState stateAfter(TrainingEvent... events) {
        JobState state = new JobState("a");
        List.of(events).forEach(state::apply);
        return state;
    }

    private static Claimed claimed(int attempt) {
        return new Claimed("a", attempt, "worker-" + attempt, "cpu");
    }

    private static Started started(int attempt, long firstStep) {
        return new Started("a", attempt, SPEC, "cpu", 1, 80, 16, 10, firstStep, 10, List.of(), null);
    }

    private static StepLosses losses(int attempt, int epoch, long firstStep, float... losses) {
        return new StepLosses("a", attempt, epoch, firstStep, losses, 2000);
    }

    private static EpochTested tested(int attempt, int epoch, long step, double accuracy) {
        return new EpochTested(
                "a", attempt, epoch, step, 2.5, 5, accuracy, 0, 1, new double[10], new int[10][10], 5, 1, 16_000);
    }

    private static Finished finished(int attempt) {
        return new Finished("a", attempt, 20, 0.5, 100, 110, 120, 10, "00", "done");
    }
}
