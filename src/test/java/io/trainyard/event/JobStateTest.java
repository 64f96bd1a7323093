package io.trainyard.event;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.finishedWithTest;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.validated;
import static io.trainyard.event.SampleEvents.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.cli.watch.JobTable;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.forecast.Forecast;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Jobs of two epochs of ten steps each.
class JobStateTest {
    @Test
    void followsAJobToItsEnd() {
        JobState state = new JobState("a");
        assertThat(state.status()).isEqualTo(Status.QUEUED);

        state.apply(claimed("a", 1));
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        assertThat(state.steps()).isZero();
        state.apply(started("a", 1, 1));
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        assertThat(state.steps()).isEqualTo(20);

        state.apply(losses("a", 1, 0, 1, new float[] {2.5f, 2.0f}));
        assertThat(state.step()).isEqualTo(2);
        assertThat(state.loss()).isEqualTo(2.0f);
        assertThat(state.samplesPerSecond()).isEqualTo(80);
        assertThat(state.remainingMicros()).isEqualTo(1_800_000);

        state.apply(tested("a", 1, 0, 10, 0.5));
        state.apply(saved("a", 1, 0, 10));
        state.apply(tested("a", 1, 1, 20, 0.25));
        state.apply(finished("a", 1, 20, "done"));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.step()).isEqualTo(20);
        assertThat(state.testAccuracy()).isEqualTo(0.25);
        assertThat(state.checkpoint()).isEqualTo("file:/checkpoints/a/1/model-10.safetensors");
        assertThat(state.remainingMicros()).isZero();
        assertThat(state.reason()).isEqualTo("done");
        assertThat(state.stepTimes()).isEqualTo(new JobState.StepTimes(812, 950, 1024));
        assertThat(state.epochs().getLast().accuracyHigh()).isEqualTo(0.25 + 0.007);
    }

    @Test
    void anOlderAttemptChangesNothing() {
        JobState state = stateAfter(claimed("a", 2), started("a", 2, 1), losses("a", 2, 0, 1, new float[] {2f}));
        state.apply(losses("a", 1, 1, 15, new float[] {9f}));
        state.apply(released("a", 1, 15, "too late"));
        assertThat(state.step()).isEqualTo(1);
        assertThat(state.loss()).isEqualTo(2f);
        assertThat(state.status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void aNewAttemptKeepsTheEpochsBeforeItsFirstStep() {
        JobState state =
                stateAfter(claimed("a", 1), started("a", 1, 1), tested("a", 1, 0, 10, 0.5), tested("a", 1, 1, 20, 0.9));
        state.apply(tested("a", 2, 1, 20, 0.6)); // before the start of its attempt, which is on another topic
        state.apply(started("a", 2, 11));
        assertThat(state.epochs()).extracting(JobState.Epoch::attempt).containsExactly(1, 2);
        assertThat(state.epochs()).extracting(JobState.Epoch::testAccuracy).containsExactly(0.5, 0.6);
        assertThat(state.step()).isEqualTo(10);
    }

    @Test
    void aReleasedJobWaitsForItsNextAttempt() {
        JobState state = stateAfter(claimed("a", 1), started("a", 1, 1), losses("a", 1, 0, 1, new float[] {2f}));
        state.apply(released("a", 1, 1, "worker stops"));
        state.apply(losses("a", 1, 0, 1, new float[] {2f})); // late, from another topic
        assertThat(state.status()).isEqualTo(Status.QUEUED);
        assertThat(state.reason()).isEqualTo("worker stops");

        state.apply(claimed("a", 2));
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        assertThat(state.reason()).isNull();
    }

    @Test
    void aCommandWithoutEventsWaits() {
        JobState state = stateOf(requested(1));
        assertThat(state.status()).isEqualTo(Status.QUEUED);
        assertThat(state.spec()).isEqualTo(spec("a"));
        assertThat(state.startedSpec()).isNull();
        assertThat(state.attempt()).isZero();
    }

    @Test
    void aRejectedJobWaitsAfterANewCommand() {
        JobState state = stateOf(requested(1), rejected(1, 2, "no data"));
        assertThat(state.status()).isEqualTo(Status.REJECTED);
        assertThat(state.status().isFinal()).isTrue();
        assertThat(state.reason()).isEqualTo("no data");
        assertThat(state.spec()).isEqualTo(spec("a"));
        state.apply(requested(3));
        assertThat(state.status()).isEqualTo(Status.QUEUED);
        assertThat(state.reason()).isNull();
    }

    /// Dead letters and commands are on separate topics.
    @Test
    void aRejectionMayBeReadBeforeItsCommand() {
        JobState state = stateOf(rejected(1, 2, "no data"), requested(1));
        assertThat(state.status()).isEqualTo(Status.REJECTED);
        JobState again = stateOf(requested(3), rejected(1, 2, "no data"), requested(1));
        assertThat(again.status()).isEqualTo(Status.QUEUED);
    }

    @Test
    void aRejectionMatchesItsCommandDespiteClockDifferences() {
        Rejected early = rejected(5, 2, "no data");
        assertThat(stateOf(requested(5), early).status()).isEqualTo(Status.REJECTED);
        assertThat(stateOf(early, requested(5)).status()).isEqualTo(Status.REJECTED);
        assertThat(stateOf(requested(5), requested(6), early).status()).isEqualTo(Status.QUEUED);
    }

    @Test
    void aRejectionDoesNotChangeAFinishedJob() {
        JobState state = stateAfter(whole("a").toArray(TrainingEvent[]::new));
        state.apply(rejected(1, 2, "another job has this id"));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.reason()).isNull();
        assertThat(state.rejection()).isEqualTo("another job has this id");
    }

    @Test
    void showsTheRunningJobInsteadOfALaterCommand() {
        JobState state =
                stateOf(new EventRecord(started("a", 1, 1), 2), new Requested("a", null, "topic-0 at offset 9", 3));
        assertThat(state.spec()).isEqualTo(spec("a"));
    }

    @Test
    void reportsTheTimesOfTheFirstAndLastRecord() {
        JobState state =
                stateOf(new EventRecord(claimed("a"), 5), requested(3), new EventRecord(started("a", 1, 1), 4));
        assertThat(state.firstRecordMillis()).isEqualTo(3);
        assertThat(state.lastRecordMillis()).isEqualTo(5);
    }

    @Test
    void writesTheShownFieldsAsJson() throws JsonProcessingException {
        JobState state = stateOf(requested(1), rejected(1, 2, "no data"));
        JsonNode json = new ObjectMapper().readTree(new ObjectMapper().writeValueAsString(state));
        assertThat(json.path("state").asText()).isEqualTo("rejected");
        assertThat(json.path("reason").asText()).isEqualTo("no data");
        assertThat(json.path("spec").path("network").asText()).isEqualTo("lenet");
        assertThat(json.fieldNames()).toIterable().containsExactly("""
                        job epochs test attempt state start durationMillis worker device spec initFrom checkpoint
                        reason rung loss stepTimes firstStep step steps elapsedMicros""".split("\\s+"));
    }

    @Test
    void anEndOfAnyAttemptCounts() {
        JobState state = stateAfter(claimed("a", 1), started("a", 1, 1), claimed("a", 2), started("a", 2, 1));
        state.apply(finished("a", 1, 20));
        state.apply(losses("a", 2, 0, 1, 5));
        state.apply(released("a", 2, 5, "worker stops"));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.attempt()).isEqualTo(1);
        assertThat(state.worker()).isEqualTo("w1");
    }

    @Test
    void followsPausesAndResumes() {
        JobState state = stateAfter(claimed("a", 1), started("a", 1, 1), paused("a", 1, 5));
        assertThat(state.status()).isEqualTo(Status.PAUSED);
        state.apply(resumed("a", 1));
        assertThat(state.status()).isEqualTo(Status.QUEUED);
        state.apply(claimed("a", 2));
        state.apply(paused("a", 1, 5)); // republished
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        state.apply(cancelled("a", 2, 7));
        assertThat(state.status()).isEqualTo(Status.CANCELLED);
    }

    @Test
    void forgedAttemptsHideNoValidOnes() {
        JobState state = stateAfter(claimed("a", 1), started("a", 1, 1));
        state.apply(claimed("a", Integer.MAX_VALUE));
        state.apply(released("a", Integer.MAX_VALUE, 9, "forged"));
        state.apply(losses("a", 1, 0, 1, 3));
        assertThat(state.attempt()).isEqualTo(1);
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        assertThat(state.step()).isEqualTo(3);
        for (int forged = 0; forged < 3 * Attempts.MAX_ATTEMPTS; forged++) {
            state.apply(claimed("a", Integer.MAX_VALUE - forged));
        }
        state.apply(claimed("a", 2));
        assertThat(state.attempt()).isEqualTo(2);
        state.apply(claimed("a", 2 + Attempts.MAX_GAP));
        assertThat(state.attempt()).isEqualTo(2 + Attempts.MAX_GAP);
    }

    /// A job with very many attempts shows the newest ones and the whole curve.
    @Test
    void storesTheNewestAttempts() {
        JobState state = new JobState("a");
        int last = 3 * Attempts.MAX_ATTEMPTS;
        for (int attempt = 1; attempt <= last; attempt++) {
            state.apply(new EventRecord(claimed("a", attempt, "w" + attempt), 1_000L * attempt, "w" + attempt, 0));
            if (attempt == 1) {
                state.apply(new EventRecord(tested("a", 1, 0, 10, 0.25), 1_500, "w1", 0));
            }
        }
        state.apply(new EventRecord(tested("a", last, 1, 20, 0.5), 1_000L * last, "w" + last, 0));
        state.apply(claimed("a", Integer.MAX_VALUE));
        assertThat(state.attempt()).isEqualTo(last);
        assertThat(state.worker()).isEqualTo("w" + last);
        assertThat(state.epochs()).extracting(JobState.Epoch::epoch).containsExactly(0, 1);
    }

    @Test
    void acceptsEventsOfTheOwnerOnly() {
        JobState state = stateOf(
                new EventRecord(claimed("a", 1, "w"), 1_000, "w", 0),
                new EventRecord(started("a", 1, 1), 2_000, "w", 1),
                new EventRecord(losses("a", 1, 0, 1, 3), 3_000, "w", 0));
        state.apply(new EventRecord(losses("a", 1, 0, 4, 9), 4_000, "forger", 1));
        state.apply(new EventRecord(tested("a", 1, 0, 10, 1.0), 4_000, "forger", 0));
        state.apply(new EventRecord(saved("a", 1, 0, 10), 4_000, "forger", 0));
        state.apply(new EventRecord(released("a", 1, 9, "forged"), 4_000, "forger", 2));
        assertThat(state.step()).isEqualTo(3);
        assertThat(state.epochs()).isEmpty();
        assertThat(state.checkpoint()).isNull();
        assertThat(state.status()).isEqualTo(Status.RUNNING);
    }

    /// Any worker may publish the end of a job for its owner, so readers cannot detect a forged end, and they
    /// do not check the store. A forged end affects the displayed state only: workers rely on the store.
    @Test
    void acceptsTheEndFromAnyWorker() {
        JobState state = stateOf(new EventRecord(claimed("a", 1, "w"), 1_000, "w", 0));
        state.apply(new EventRecord(finished("a", 1, 20), 2_000, "w2", 1));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
    }

    @Test
    void lossesDoNotBeginAnAttempt() {
        JobState state = stateAfter(claimed("a", 1), started("a", 1, 1), losses("a", 2, 0, 1, 9));
        assertThat(state.attempt()).isEqualTo(1);
        assertThat(state.step()).isZero();
        state.apply(claimed("a", 2));
        assertThat(state.step()).isEqualTo(9);
    }

    @Test
    void reportsStartAndDurationOfAllAttempts() {
        JobState state = stateOf(
                new EventRecord(claimed("a", 2), 9_000),
                new EventRecord(claimed("a", 1), 1_000),
                new EventRecord(started("a", 2, 1), 9_500));
        assertThat(state.start()).isEqualTo("1970-01-01T00:00:01.000Z");
        assertThat(state.durationMillis()).isZero();
        state.apply(new EventRecord(started("a", 1, 1), 1_500));
        assertThat(state.durationMillis()).isEqualTo(8_000);
        state.apply(new EventRecord(losses("a", 2, 0, 1, 1), 9_700));
        assertThat(state.durationMillis()).isEqualTo(8_200);
        state.apply(new EventRecord(finished("a", 2, 20), 11_500));
        state.apply(new EventRecord(finished("a", 2, 20), 99_000)); // republished without a time
        assertThat(state.durationMillis()).isEqualTo(10_000);
        assertThat(new JobState("b").start()).isNull();
    }

    /// Its results by class do not belong to the current last epoch.
    @Test
    void hidesTestsThatANewerAttemptRepeats() {
        JobState state =
                stateAfter(claimed("a", 1), started("a", 1, 1), tested("a", 1, 0, 10, 0.5), tested("a", 1, 1, 20, 0.9));
        assertThat(state.lastTest()).isNotNull();
        state.apply(started("a", 2, 15));
        assertThat(state.epochs()).hasSize(1);
        assertThat(state.lastTest()).isNull();
    }

    /// The best validation selects, and the test part is no epoch.
    @Test
    void keepsTheTestPartApartFromTheValidationPart() {
        JobState state =
                stateAfter(claimed("a", 1), started("a", 1, 1), validated("a", 0, 10, 0.9), validated("a", 1, 20, 0.5));
        assertThat(state.test()).isNull();
        state.apply(finishedWithTest("a", 20, 0, 10, 0.8));
        JobSummary summary = JobSummary.of(state);
        assertThat(state.epochs()).extracting(JobState.Epoch::part).containsExactly(Part.VALIDATION, Part.VALIDATION);
        assertThat(summary.part()).isEqualTo(Part.VALIDATION);
        assertThat(summary.testAccuracy()).isEqualTo(0.5);
        assertThat(summary.bestTestAccuracy()).isEqualTo(0.9);
        assertThat(Objects.requireNonNull(summary.test()).testAccuracy()).isEqualTo(0.8);
        assertThat(Objects.requireNonNull(state.lastTest()).part()).isEqualTo(Part.TEST);
        assertThat(JobTable.rows(List.of(state), Forecast.NONE).getLast()).contains("validation 0.5000, test 0.8000");
    }

    private static JobState stateOf(JobRecord... records) {
        JobState state = new JobState("a");
        List.of(records).forEach(state::apply);
        return state;
    }

    private static Requested requested(long millis) {
        return new Requested("a", spec("a"), place(millis), millis);
    }

    /// @param commandMillis when the rejected command was sent
    private static Rejected rejected(long commandMillis, long millis, String reason) {
        return new Rejected("a", place(commandMillis), reason, millis);
    }

    private static String place(long millis) {
        return "commands-0 at offset " + millis;
    }

    private static JobState stateAfter(TrainingEvent... events) {
        JobState state = new JobState("a");
        List.of(events).forEach(state::apply);
        return state;
    }
}
