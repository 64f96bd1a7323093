package io.trainyard.training;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Manifest;
import io.trainyard.checkpoint.Progress;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.SuccessiveHalving;
import org.jspecify.annotations.Nullable;

/// A job at the rungs of its `asha`: it stores its results there, and pauses if others of its group are better.
/// A job without `asha`, or outside a fleet, has no rungs.
final class Rungs {
    private final JobSpec job;
    private final int attempt;
    private final JobFolder folder;
    private final Supervisor supervisor;
    private final SuccessiveHalving halving;
    private @Nullable Integer rung; // at which it pauses
    private @Nullable String reason;

    Rungs(JobSpec job, int attempt, JobFolder folder, Supervisor supervisor) {
        this.job = job;
        this.attempt = attempt;
        this.folder = folder;
        this.supervisor = supervisor;
        this.halving = new SuccessiveHalving(folder::group);
    }

    /// Whether there may be a rung here: after an epoch's test.
    boolean mayBeAt(Progress at) {
        return areHeeded() && at.stepOfEpoch() == 0 && at.epoch() > 0;
    }

    private boolean areHeeded() {
        return job.asha() != null && supervisor.heedsRungs();
    }

    /// The attempt resumes: results that earlier attempts found after that no longer count.
    ///
    /// @param epochs the finished ones
    void resume(int epochs) {
        if (attempt > 1 && areHeeded()) {
            halving.resumes(job, attempt, epochs);
        }
    }

    /// Stores the result, and decides whether the job pauses.
    boolean pausesAt(Progress at) {
        reason = halving.isPaused(job, attempt, at.epoch(), at.score()).orElse(null);
        sayResult();
        rung = reason == null ? null : at.epoch();
        return rung != null;
    }

    /// The epochs after which it pauses; null if it does not.
    @Nullable
    Integer rung() {
        return rung;
    }

    /// Why it pauses; null if it does not.
    @Nullable
    String reason() {
        return reason;
    }

    /// The job has ended, and its chain has the end.
    ///
    /// @param number of that link
    void ended(TrainingEvent end, int number) {
        if (areHeeded()) {
            halving.ended(
                    job,
                    end,
                    number,
                    () -> folder.checkpoints()
                            .lastManifest()
                            .map(Manifest::score)
                            .orElse(null));
            sayResult();
        }
    }

    private void sayResult() {
        supervisor.rungResultStored(String.valueOf(job.group()));
    }
}
