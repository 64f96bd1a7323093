package io.trainyard.dashboard;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A job with its tests.
///
/// @param command the job as JSON, with all defaults filled in: as it runs, or else as it was asked for; null where
/// neither is
///     known
/// @param tests one an epoch, in order
/// @param stepTimes null until the job has finished
/// @param classAccuracy of the last test, 0..1 a class
/// @param confusion of the last test: samples by (true class, predicted class)
public record JobDetail(
        JobSummary summary,
        @Nullable String command,
        List<JobState.Epoch> tests,
        JobState.@Nullable StepTimes stepTimes,
        double @Nullable [] classAccuracy,
        int @Nullable [] @Nullable [] confusion) {

    static JobDetail of(JobState state) {
        JobSpec spec = state.spec();
        EpochTested last = state.lastTest();
        return new JobDetail(
                JobSummary.of(state),
                spec == null ? null : JobJson.write(spec),
                state.epochs(),
                state.stepTimes(),
                last == null ? null : last.classAccuracy(),
                last == null ? null : last.confusion());
    }
}
