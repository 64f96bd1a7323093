package io.trainyard.tracking;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.forecast.JobFacts;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// A job as a row of the table.
///
/// @param firstSeenMillis the time of its first record, Unix time in ms; the default order of the table
/// @param startMillis when its first attempt was claimed, Unix time in ms; 0 before
/// @param durationMillis from the start of its first attempt to its end, or to its newest event
/// @param device of its newest attempt
/// @param wants the requested kind of device: `auto`, `cpu`, `cuda`, `reference`. Null if neither the command
///     nor the start event is known; this also holds for the other fields of the command
/// @param initFrom the checkpoint from which it starts or which it evaluates; null if it draws initial weights
/// @param network the name of a built-in network, or the number of layers
/// @param epochs of the whole job; 0 if unknown
/// @param epochsDone epochs that were trained and tested
/// @param steps of the whole job; 0 until it has started
/// @param testLoss of its last test after an epoch; null before the first
/// @param testAccuracy of that test, 0..1; null before the first test and for regression
/// @param accuracyLow lower end of the 95 % interval of the accuracy
/// @param accuracyHigh upper end of it; 0 if unknown
/// @param remainingMicros estimated from the attempt's speed so far; 0 if unknown or if nothing remains
/// @param reason why it failed, was requeued, was rejected or is paused at a rung
/// @param group the group of the job; a sweep's own group is its id
/// @param rung the number of epochs after which it is paused because others of its group are better; null if it
///     is not paused
/// @param project null if unknown
/// @param bestTestAccuracy the highest of all its tests; null before the first and for regression
/// @param bestTestLoss the lowest of all its tests; null before the first
/// @param metric that decides which test is best; null: accuracy, for regression loss
/// @param metricValue of its last test; null without `metric` and before the first
/// @param bestMetricValue of its best test
/// @param part that the tests after epochs measure; null before the first and without a validation part
/// @param test the only test of the test part of a dataset with a validation part; null before it and without that
///     part
/// @param facts the input of the forecast; null in rows of an older version
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
        double samplesPerSecond,
        long remainingMicros,
        @Nullable String checkpoint,
        @Nullable String group,
        @Nullable Integer rung,
        @Nullable String project,
        @Nullable Double bestTestAccuracy,
        @Nullable Double bestTestLoss,
        @Nullable Metric metric,
        @Nullable Double metricValue,
        @Nullable Double bestMetricValue,
        @Nullable Part part,
        @Nullable Epoch test,
        @Nullable JobFacts facts) {

    /// The dashboard sends the summaries of many jobs at once, so longer reasons are shortened.
    public static final int MAX_REASON = 2000;

    public static JobSummary of(JobState state) {
        JobSpec spec = state.spec();
        var epochs = state.epochs();
        Metric metric = spec == null ? null : spec.metric();
        return new JobSummary(
                state.job(),
                state.firstRecordMillis(),
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
                state.samplesPerSecond(),
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
                metric,
                metric == null || epochs.isEmpty() ? null : epochs.getLast().metricValue(),
                metric == null
                        ? null
                        : epochs.stream()
                                .map(Epoch::metricValue)
                                .filter(value -> value != null)
                                .max(Comparator.comparingDouble(metric::score))
                                .orElse(null),
                epochs.isEmpty() ? null : epochs.getLast().part(),
                state.test(),
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
