package io.trainyard.tracking;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.JobFacts;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// A job as a row of the table.
///
/// @param firstSeenMillis when its first news was sent, since 1970; the table's order
/// @param startMillis when its first attempt was claimed, since 1970; 0 before
/// @param durationMillis from the start of its first attempt to its end, or to its newest event
/// @param device of its newest attempt
/// @param wants the kind of device that it asks for: `auto`, `cpu`, `cuda`, `reference`; null where neither its command
///     nor its start is known; the same holds for all that the job asks for
/// @param initFrom the checkpoint it starts from or evaluates; null where it draws its weights
/// @param network for people: a built-in network's name, or how many layers
/// @param epochs of the whole job; 0 where that is not known
/// @param epochsDone trained and tested
/// @param steps of the whole job; 0 until it has started
/// @param testLoss of its last test; null before the first
/// @param testAccuracy of the same, 0..1; null where numbers are predicted, too
/// @param accuracyLow where the 95 % interval of the accuracy begins
/// @param accuracyHigh where it ends; 0 where it is not known
/// @param remainingMicros at the attempt's pace so far; 0 where nothing is known or nothing is left
/// @param reason why it failed, was given back, was rejected or rests at a rung
/// @param group that it belongs to; a sweep's own is its id
/// @param rung after how many epochs it rests because others of its group are better; null where it does not
/// @param project whose it is; null: nobody has said so
/// @param bestTestAccuracy of all its tests; null before the first, and where numbers are predicted
/// @param bestTestLoss the lowest of all its tests; null before the first
/// @param facts from which it is told when jobs begin; null in a row that an older version has written
public record JobSummary(
        String job,
        long firstSeenMillis,
        int attempt,
        @JsonProperty("state") Status status,
        long startMillis,
        long durationMillis,
        @Nullable String reason,
        @Nullable String worker,
        @Nullable String device,
        @Nullable String wants,
        @Nullable JobKind kind,
        @Nullable String initFrom,
        @Nullable String network,
        @Nullable String dataset,
        int epochs,
        int epochsDone,
        long step,
        long steps,
        @Nullable Float loss,
        @Nullable Double testLoss,
        @Nullable Double testAccuracy,
        double accuracyLow,
        double accuracyHigh,
        double imagesPerSecond,
        long remainingMicros,
        @Nullable String checkpoint,
        @Nullable String group,
        @Nullable Integer rung,
        @Nullable String project,
        @Nullable Double bestTestAccuracy,
        @Nullable Double bestTestLoss,
        @Nullable JobFacts facts) {

    /// A longer reason is cut on the page, which shows the state of every job at once.
    public static final int MAX_REASON = 2000;

    public static JobSummary of(JobState state) {
        JobSpec spec = state.spec();
        var epochs = state.epochs();
        return new JobSummary(
                state.job(),
                state.firstHeardMillis(),
                state.attempt(),
                state.status(),
                state.startMillis(),
                state.durationMillis(),
                shortened(state.reason()),
                shortened(state.worker()),
                shortened(state.device()),
                spec == null ? null : spec.device().kind(),
                spec == null ? null : spec.kind(),
                initFrom(state, spec),
                spec == null ? null : spec.network().label(),
                spec == null ? null : spec.dataset().name(),
                spec == null ? 0 : spec.epochs(),
                epochs.isEmpty() ? 0 : epochs.getLast().epoch() + 1,
                state.step(),
                state.steps(),
                state.loss(),
                state.testLoss(),
                state.testAccuracy(),
                epochs.isEmpty() ? 0 : epochs.getLast().accuracyLow(),
                epochs.isEmpty() ? 0 : epochs.getLast().accuracyHigh(),
                state.imagesPerSecond(),
                state.remainingMicros(),
                shortened(state.checkpoint()),
                spec == null ? null : spec.sweep() == null ? spec.group() : spec.id(),
                state.rung(),
                spec == null ? null : spec.project(),
                epochs.stream()
                        .map(Epoch::testAccuracy)
                        .filter(accuracy -> accuracy != null)
                        .max(Double::compare)
                        .orElse(null),
                epochs.stream()
                        .map(Epoch::testLoss)
                        .filter(loss -> !loss.isNaN())
                        .min(Double::compare)
                        .orElse(null),
                JobFacts.of(state));
    }

    private static @Nullable String initFrom(JobState state, @Nullable JobSpec spec) {
        CheckpointName asked = spec == null ? null : spec.initFrom();
        CheckpointName found = state.initFrom() == null ? asked : state.initFrom();
        return found == null ? null : found.toString();
    }

    private static @Nullable String shortened(@Nullable String reason) {
        return reason == null || reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON) + "…";
    }
}
