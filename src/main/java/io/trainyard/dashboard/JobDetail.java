package io.trainyard.dashboard;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A job with its tests.
///
/// @param command the job as JSON, with all defaults filled in; null until it has started
/// @param tests one an epoch, in order
/// @param stepTimes null until the job has finished
/// @param classAccuracy of the last test, 0..1 a class
/// @param confusion of the last test: samples by (true class, predicted class)
public record JobDetail(
        JobSummary summary,
        @Nullable String command,
        List<Test> tests,
        JobState.@Nullable StepTimes stepTimes,
        double @Nullable [] classAccuracy,
        int @Nullable [] @Nullable [] confusion) {

    /// The test after an epoch.
    ///
    /// @param step steps done by then
    /// @param testLoss the mean loss of the samples
    /// @param accuracyLow where the 95 % interval of the accuracy begins
    /// @param accuracyHigh where it ends; 0 where it is not known
    public record Test(
            int epoch,
            int attempt,
            long step,
            double testLoss,
            double testAccuracy,
            double accuracyLow,
            double accuracyHigh,
            double imagesPerSecond) {}

    static JobDetail of(JobSummary summary, JobState state) {
        JobSpec spec = state.spec();
        EpochTested last = state.lastTest();
        return new JobDetail(
                summary,
                spec == null ? null : JobJson.write(spec),
                state.epochs().stream()
                        .map(e -> new Test(
                                e.epoch(),
                                e.attempt(),
                                e.step(),
                                e.testLoss(),
                                e.testAccuracy(),
                                e.accuracyLow(),
                                e.accuracyHigh(),
                                e.imagesPerSecond()))
                        .toList(),
                state.stepTimes(),
                last == null ? null : last.classAccuracy(),
                last == null ? null : last.confusion());
    }
}
