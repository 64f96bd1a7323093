package io.trainyard.export;

import io.trainyard.event.ClassMetrics;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.Annotations;
import io.trainyard.tracking.TrackingStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job with its state and annotations.
///
/// @param tests one per epoch, in order
public record ExportedJob(JobState state, List<Test> tests, Annotations remarks) {
    public ExportedJob {
        tests = List.copyOf(tests);
    }

    /// A tested epoch.
    ///
    /// @param metrics null for regression, and if the confusion matrix is unknown
    /// @param millis when, since 1970
    public record Test(JobState.Epoch epoch, @Nullable ClassMetrics metrics, long millis) {
        @Nullable
        Double macroF1() {
            return metrics == null ? null : Double.valueOf(metrics.macroF1());
        }
    }

    private record Place(int attempt, int epoch) {}

    static ExportedJob of(JobState state, TrackingStore store) {
        Map<Place, Long> millis = new HashMap<>();
        Map<Place, ClassMetrics> metrics = new HashMap<>();
        store.eachJobRecord(state.job(), one -> {
            if (one instanceof EventRecord happened && happened.event() instanceof EpochTested tested) {
                Place place = new Place(tested.attempt(), tested.epoch());
                millis.put(place, happened.millis());
                ClassMetrics.of(tested).ifPresent(found -> metrics.put(place, found.withoutClasses()));
            }
        });
        List<Test> tests = state.epochs().stream()
                .map(epoch -> {
                    Place place = new Place(epoch.attempt(), epoch.epoch());
                    return new Test(epoch, metrics.get(place), millis.getOrDefault(place, state.startMillis()));
                })
                .toList();
        return new ExportedJob(state, tests, store.remarks(state.job()));
    }

    String id() {
        return state.job();
    }

    /// When it began, since 1970: its first attempt, or before that its first news.
    long startMillis() {
        return state.startMillis() == 0 ? state.firstRecordMillis() : state.startMillis();
    }

    /// When it ended, since 1970; empty where it has not.
    Optional<Long> endMillis() {
        return state.status().isFinal() ? Optional.of(state.lastRecordMillis()) : Optional.empty();
    }

    /// As it runs, or else as it was asked for; empty where neither is known.
    Optional<JobSpec> spec() {
        return Optional.ofNullable(state.spec());
    }

    /// The same as JSON, with all defaults.
    Optional<String> command() {
        return spec().map(JobJson::write);
    }
}
