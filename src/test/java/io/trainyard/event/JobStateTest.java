package io.trainyard.event;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Jobs of two epochs of ten steps each.
class JobStateTest {
    @Test
    void followsAJobToItsEnd() {
        JobState state = new JobState("a");
        assertThat(state.status()).isEqualTo(Status.WAITING);

        state.apply(claimed("a", 1));
        assertThat(state.status()).isEqualTo(Status.CLAIMED);
        state.apply(started("a", 1, 1));
        assertThat(state.status()).isEqualTo(Status.RUNNING);
        assertThat(state.steps()).isEqualTo(20);

        state.apply(losses("a", 1, 0, 1, new float[] {2.5f, 2.0f}));
        assertThat(state.step()).isEqualTo(2);
        assertThat(state.loss()).isEqualTo(2.0f);
        assertThat(state.imagesPerSecond()).isEqualTo(80);
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
    void anEndSeenBeforeTheLastLossesStays() {
        JobState state = stateAfter(
                claimed("a", 1), started("a", 1, 1), finished("a", 1, 20, "done"), losses("a", 1, 1, 19, new float[] {
                    1f, 0.5f
                }));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.step()).isEqualTo(20);
    }

    @Test
    void anOlderAttemptChangesNothing() {
        JobState state = stateAfter(claimed("a", 2), started("a", 2, 1), losses("a", 2, 0, 1, new float[] {2f}));
        state.apply(losses("a", 1, 1, 15, new float[] {9f}));
        state.apply(failed("a", 1, "too late"));
        assertThat(state.step()).isEqualTo(1);
        assertThat(state.loss()).isEqualTo(2f);
        assertThat(state.status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void aNewAttemptKeepsTheEpochsBeforeItsFirstStep() {
        JobState state =
                stateAfter(claimed("a", 1), started("a", 1, 1), tested("a", 1, 0, 10, 0.5), tested("a", 1, 1, 20, 0.9));
        state.apply(tested("a", 2, 1, 20, 0.6)); // before the start of its attempt: another topic
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
        assertThat(state.status()).isEqualTo(Status.WAITING);
        assertThat(state.reason()).isEqualTo("worker stops");

        state.apply(claimed("a", 2));
        assertThat(state.status()).isEqualTo(Status.CLAIMED);
        assertThat(state.reason()).isNull();
    }

    @Test
    void aCommandWithoutEventsWaits() {
        JobState state = stateOf(requested(1));
        assertThat(state.status()).isEqualTo(Status.WAITING);
        assertThat(state.spec()).isEqualTo(spec("a"));
        assertThat(state.startedSpec()).isNull();
        assertThat(state.attempt()).isZero();
    }

    @Test
    void aRefusedCommandIsOverUntilAnotherOneComes() {
        JobState state = stateOf(requested(1), rejected(1, 2, "no data"));
        assertThat(state.status()).isEqualTo(Status.REJECTED);
        assertThat(state.status().isFinal()).isTrue();
        assertThat(state.reason()).isEqualTo("no data");
        assertThat(state.spec()).isEqualTo(spec("a"));
        state.apply(requested(3));
        assertThat(state.status()).isEqualTo(Status.WAITING);
        assertThat(state.reason()).isNull();
    }

    /// Dead letters and commands are on topics of their own.
    @Test
    void aRefusalThatIsReadBeforeItsCommandIsTheSame() {
        JobState state = stateOf(rejected(1, 2, "no data"), requested(1));
        assertThat(state.status()).isEqualTo(Status.REJECTED);
        JobState again = stateOf(requested(3), rejected(1, 2, "no data"), requested(1));
        assertThat(again.status()).isEqualTo(Status.WAITING);
    }

    @Test
    void aRefusalIsOfItsCommandHoweverTheClocksDiffer() {
        Rejected early = rejected(5, 2, "no data");
        assertThat(stateOf(requested(5), early).status()).isEqualTo(Status.REJECTED);
        assertThat(stateOf(early, requested(5)).status()).isEqualTo(Status.REJECTED);
        assertThat(stateOf(requested(5), requested(6), early).status()).isEqualTo(Status.WAITING);
    }

    @Test
    void aRefusalChangesNothingForTheJobThatRan() {
        JobState state = stateAfter(whole("a").toArray(TrainingEvent[]::new));
        state.apply(rejected(1, 2, "another job has this id"));
        assertThat(state.status()).isEqualTo(Status.FINISHED);
        assertThat(state.reason()).isNull();
        assertThat(state.rejection()).isEqualTo("another job has this id");
    }

    @Test
    void knowsTheJobAsItRunsRatherThanAsItWasAskedForAgain() {
        JobState state =
                stateOf(new Happened(started("a", 1, 1), 2), new Requested("a", null, "topic-0 at offset 9", 3));
        assertThat(state.spec()).isEqualTo(spec("a"));
    }

    @Test
    void knowsWhenItWasFirstAndLastHeardOf() {
        JobState state = stateOf(new Happened(claimed("a"), 5), requested(3), new Happened(started("a", 1, 1), 4));
        assertThat(state.firstHeardMillis()).isEqualTo(3);
        assertThat(state.lastHeardMillis()).isEqualTo(5);
    }

    @Test
    void asJsonItIsWhatPeopleAreShown() throws JsonProcessingException {
        JobState state = stateOf(requested(1), rejected(1, 2, "no data"));
        JsonNode json = new ObjectMapper().readTree(new ObjectMapper().writeValueAsString(state));
        assertThat(json.path("status").asText()).isEqualTo("REJECTED");
        assertThat(json.path("reason").asText()).isEqualTo("no data");
        assertThat(json.path("spec").path("network").asText()).isEqualTo("lenet");
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "job",
                        "epochs",
                        "attempt",
                        "status",
                        "worker",
                        "device",
                        "spec",
                        "initFrom",
                        "checkpoint",
                        "reason",
                        "loss",
                        "stepTimes",
                        "firstStep",
                        "step",
                        "steps",
                        "elapsedMicros");
    }

    @Test
    void refusesAnotherJobsEvents() {
        assertThatThrownBy(() -> new JobState("b").apply(claimed("a", 1))).isInstanceOf(IllegalArgumentException.class);
    }

    private static JobState stateOf(JobNews... news) {
        JobState state = new JobState("a");
        List.of(news).forEach(state::apply);
        return state;
    }

    private static Requested requested(long millis) {
        return new Requested("a", spec("a"), place(millis), millis);
    }

    /// @param commandMillis which command: when it was sent
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
