package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Datasets;
import io.trainyard.event.Control;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.forecast.Outlook;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.Remarks;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job with its tests.
///
/// @param leftOut which of its records are not shown, and why, in words; null: all are
/// @param waiting why it waits, in words; null: it does not
/// @param outlook what lies before it, and when it begins; null where it does not wait, or has only just come
/// @param command the job as JSON, with all defaults filled in: as it runs, or else as it was asked for; null where
///     neither is known
/// @param classNames by label; null where they are not known here
/// @param warnings what its data set is to be warned of, in words; null: nothing
/// @param flopsPerImage floating-point operations of training with one image; null where nothing is trained or that
///     is not known here
/// @param tests one an epoch, in order
/// @param attempts all of them, in order
/// @param checkpoints those from which the job may go on, in order
/// @param stepTimes null until the job has finished
/// @param classAccuracy of the last test, 0..1 a class
/// @param confusion of the last test: samples by (true class, predicted class)
/// @param remarks what people wrote beside it
/// @param wish what somebody wished of it last; null: nothing
/// @param submitter who submitted it here; null where it came another way, or nobody signs in
public record JobDetail(
        @JsonIgnoreProperties("facts") JobSummary summary,
        @Nullable String leftOut,
        @Nullable String waiting,
        @Nullable Outlook outlook,
        @JsonRawValue @Nullable String command,
        @Nullable List<String> classNames,
        @Nullable List<String> warnings,
        @Nullable Long flopsPerImage,
        List<Test> tests,
        List<AttemptSpan> attempts,
        List<JobTimeline.Checkpoint> checkpoints,
        JobState.@Nullable StepTimes stepTimes,
        double @Nullable [] classAccuracy,
        int @Nullable [][] confusion,
        @JsonUnwrapped Remarks remarks,
        @Nullable Control wish,
        @Nullable String submitter) {

    /// A tested epoch.
    ///
    /// @param millis when, since 1970
    /// @param flopsPerSecond floating-point operations of training a second, at its images a second; null where
    ///     they are not known
    /// @param mfu model FLOPs utilisation, 0..1: which part that is of the peak of its attempt's devices; null
    ///     where that is not known
    public record Test(
            @JsonUnwrapped JobState.Epoch epoch,
            long millis,
            @Nullable Double flopsPerSecond,
            @Nullable Double mfu) {
        private static Test of(JobState.Epoch epoch, JobTimeline timeline, Optional<Long> flopsPerImage) {
            Optional<Double> achieved = flopsPerImage
                    .filter(_ -> epoch.imagesPerSecond() > 0)
                    .map(flops -> flops * epoch.imagesPerSecond());
            return new Test(
                    epoch,
                    timeline.testMillis(epoch),
                    achieved.orElse(null),
                    achieved.flatMap(
                                    flops -> timeline.peakFlops(epoch.attempt()).map(peak -> flops / peak))
                            .orElse(null));
        }
    }

    /// @param timeline of all that was told of it
    static JobDetail of(
            JobState state,
            JobTimeline timeline,
            @Nullable String leftOut,
            @Nullable String waiting,
            @Nullable Outlook outlook,
            Remarks remarks,
            Optional<Control> wish,
            Optional<String> submitter) {
        JobSpec spec = state.spec();
        EpochTested last = state.lastTest();
        TrainingEvent.Dataset dataset = state.dataset();
        Optional<Long> flopsPerImage = TrainingFlops.perImage(state);
        return new JobDetail(
                JobSummary.of(state),
                leftOut,
                waiting,
                outlook,
                spec == null ? null : JobJson.write(spec),
                classNames(state),
                dataset == null ? null : dataset.warnings(),
                flopsPerImage.orElse(null),
                state.epochs().stream()
                        .map(epoch -> Test.of(epoch, timeline, flopsPerImage))
                        .toList(),
                timeline.attempts(),
                timeline.checkpoints(),
                state.stepTimes(),
                last == null || last.classAccuracy().length == 0 ? null : last.classAccuracy(),
                last == null || last.confusion().length == 0 ? null : last.confusion(),
                remarks,
                wish.orElse(null),
                submitter.orElse(null));
    }

    /// As its worker told them, or, before it has started, as those of a built-in set are known.
    private static @Nullable List<String> classNames(JobState state) {
        TrainingEvent.Dataset told = state.dataset();
        JobSpec spec = state.spec();
        if (told != null) {
            return told.classNames().isEmpty() ? null : told.classNames();
        }
        return spec == null
                ? null
                : Datasets.find(spec.dataset().name())
                        .map(DatasetInfo::classNames)
                        .orElse(null);
    }
}
