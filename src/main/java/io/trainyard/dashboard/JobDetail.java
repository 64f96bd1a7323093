package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Datasets;
import io.trainyard.event.ClassMetrics;
import io.trainyard.event.Control;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.forecast.StartForecast;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.Annotations;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job with its tests.
///
/// @param omitted which of its records are missing and why, in words; null if the state is complete
/// @param waiting why it waits, in words; null if it does not wait
/// @param forecast its forecast; null if it does not wait or has just arrived
/// @param command the job as JSON with all defaults filled in, as it runs or else as requested; null if unknown
/// @param classNames by label; null if unknown
/// @param warnings about its dataset, in words; null without warnings
/// @param flopsPerSample floating-point operations of training with one sample; null if nothing is trained or if
///     unknown
/// @param tests one per epoch, in order
/// @param attempts in order
/// @param checkpoints those from which the job can resume, in order
/// @param stepTimes null until the job has finished
/// @param classAccuracy of the last test, 0..1 per class
/// @param confusion of the last test: samples by (true class, predicted class)
/// @param classMetrics of the last test, by label
/// @param remarks a user's tags and note
/// @param control the newest control request, if any
/// @param submitter the user who submitted it here; null for other clients and without sign-in
/// @param deviceUse of its workers while it ran, as far as the dashboard received heartbeats
public record JobDetail(
        @JsonIgnoreProperties("facts") JobSummary summary,
        @Nullable String omitted,
        @Nullable String waiting,
        @Nullable StartForecast forecast,
        @JsonRawValue @Nullable String command,
        @Nullable List<String> classNames,
        @Nullable List<String> warnings,
        @Nullable Long flopsPerSample,
        List<Test> tests,
        List<AttemptSpan> attempts,
        List<JobTimeline.Checkpoint> checkpoints,
        JobState.@Nullable StepTimes stepTimes,
        double @Nullable [] classAccuracy,
        int @Nullable [][] confusion,
        @Nullable List<ClassMetrics.OfClass> classMetrics,
        @JsonUnwrapped Annotations remarks,
        @Nullable Control control,
        @Nullable String submitter,
        List<DeviceSamples.Sample> deviceUse) {

    /// A tested epoch.
    ///
    /// @param macro means over the classes; absent for regression and for more than 100 classes
    /// @param millis Unix time in ms
    /// @param flopsPerSecond floating-point operations of training per second, computed from the samples per
    ///     second; null if unknown
    /// @param mfu model FLOPs utilization, 0..1: the ratio to the peak of the attempt's devices; null if
    ///     unknown
    public record Test(
            @JsonUnwrapped JobState.Epoch epoch,
            @JsonUnwrapped JobTimeline.@Nullable MacroMetrics macro,
            long millis,
            @Nullable Double flopsPerSecond,
            @Nullable Double mfu) {
        private static Test of(JobState.Epoch epoch, JobTimeline timeline, Optional<Long> flopsPerSample) {
            Optional<Double> achieved = flopsPerSample
                    .filter(_ -> epoch.samplesPerSecond() > 0)
                    .map(flops -> flops * epoch.samplesPerSecond());
            return new Test(
                    epoch,
                    timeline.macro(epoch),
                    timeline.testMillis(epoch),
                    achieved.orElse(null),
                    achieved.flatMap(
                                    flops -> timeline.peakFlops(epoch.attempt()).map(peak -> flops / peak))
                            .orElse(null));
        }
    }

    /// @param timeline built from all records of the job
    static JobDetail of(
            JobState state,
            JobTimeline timeline,
            @Nullable String omitted,
            @Nullable String waiting,
            @Nullable StartForecast forecast,
            Annotations remarks,
            Optional<Control> control,
            Optional<String> submitter,
            List<DeviceSamples.Sample> deviceUse) {
        JobSpec spec = state.spec();
        EpochTested last = state.lastTest();
        TrainingEvent.Dataset dataset = state.dataset();
        Optional<Long> flopsPerSample = TrainingFlops.perSample(state);
        return new JobDetail(
                JobSummary.of(state),
                omitted,
                waiting,
                forecast,
                spec == null ? null : JobJson.write(spec),
                classNames(state),
                dataset == null ? null : dataset.warnings(),
                flopsPerSample.orElse(null),
                state.epochs().stream()
                        .map(epoch -> Test.of(epoch, timeline, flopsPerSample))
                        .toList(),
                timeline.attempts(),
                timeline.checkpoints(),
                state.stepTimes(),
                last == null || last.classAccuracy().length == 0 ? null : last.classAccuracy(),
                last == null || last.confusion().length == 0 ? null : last.confusion(),
                last == null
                        ? null
                        : ClassMetrics.of(last).map(ClassMetrics::classes).orElse(null),
                remarks,
                control.orElse(null),
                submitter.orElse(null),
                deviceUse);
    }

    /// The names from the start event or, before the start, those of a built-in dataset.
    private static @Nullable List<String> classNames(JobState state) {
        TrainingEvent.Dataset dataset = state.dataset();
        JobSpec spec = state.spec();
        if (dataset != null) {
            return dataset.classNames().isEmpty() ? null : dataset.classNames();
        }
        return spec == null
                ? null
                : Datasets.find(spec.dataset().name())
                        .map(DatasetInfo::classNames)
                        .orElse(null);
    }
}
