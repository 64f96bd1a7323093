package io.trainyard.export;

import io.trainyard.event.ClassMetrics;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.Annotations;
import io.trainyard.tracking.TrackingStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job with its state and annotations.
///
/// @param tests one per epoch, in order; the last one is of the test part, if it is tested once
public record ExportedJob(JobState state, List<Test> tests, Annotations remarks) {
    public ExportedJob {
        tests = List.copyOf(tests);
    }

    /// A tested epoch.
    ///
    /// @param metrics null for regression, and if the confusion matrix is unknown
    /// @param millis when, since 1970
    public record Test(Epoch epoch, @Nullable ClassMetrics metrics, long millis) {
        @Nullable
        Double macroF1() {
            return metrics == null ? null : Double.valueOf(metrics.macroF1());
        }

        /// The tag of a test's value, `validation_loss` for `test_loss` of a validation part.
        String tag(String ofTests) {
            return epoch.part() == Part.VALIDATION
                    ? ofTests.replaceFirst(Part.TEST.word(), Part.VALIDATION.word())
                    : ofTests;
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
        List<Test> tests = new ArrayList<>();
        for (Epoch epoch : state.epochs()) {
            Place place = new Place(epoch.attempt(), epoch.epoch());
            tests.add(new Test(epoch, metrics.get(place), millis.getOrDefault(place, state.startMillis())));
        }
        Epoch test = state.test();
        EpochTested last = state.lastTest();
        if (test != null && last != null) {
            tests.add(new Test(test, ClassMetrics.of(last).orElse(null), state.lastRecordMillis()));
        }
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
