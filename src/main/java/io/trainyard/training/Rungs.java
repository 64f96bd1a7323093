package io.trainyard.training;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Manifest;
import io.trainyard.checkpoint.Progress;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Halving;
import org.jspecify.annotations.Nullable;

/// A job at the rungs of its `asha`: it keeps its results there, and rests where others of its group are better.
/// Of a job without, and where nobody would have it go on, there are none.
final class Rungs {
    private final JobSpec job;
    private final int attempt;
    private final JobFolder folder;
    private final Supervisor supervisor;
    private final Halving halving;
    private @Nullable Integer rung; // at which it rests
    private @Nullable String reason;

    Rungs(JobSpec job, int attempt, JobFolder folder, Supervisor supervisor) {
        this.job = job;
        this.attempt = attempt;
        this.folder = folder;
        this.supervisor = supervisor;
        this.halving = new Halving(folder::group);
    }

    /// Whether there may be one where the job stands: once an epoch is tested.
    boolean mayBeAt(Progress at) {
        return areHeeded() && at.stepOfEpoch() == 0 && at.epoch() > 0;
    }

    private boolean areHeeded() {
        return job.asha() != null && supervisor.heedsRungs();
    }

    /// The attempt resumes: what earlier ones find beyond that counts no more.
    ///
    /// @param epochs done
    void resume(int epochs) {
        if (attempt > 1 && areHeeded()) {
            halving.resumes(job, attempt, epochs);
        }
    }

    /// Keeps its result, and says whether it rests.
    boolean restsAt(Progress at) {
        reason = halving.rests(job, attempt, at.epoch(), score(at)).orElse(null);
        sayResult();
        rung = reason == null ? null : at.epoch();
        return rung != null;
    }

    /// The epochs after which it rests; null where it does not.
    @Nullable
    Integer rung() {
        return rung;
    }

    /// Why it rests; null where it does not.
    @Nullable
    String reason() {
        return reason;
    }

    /// The job has ended, and its chain says so.
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
        supervisor.keptResult(String.valueOf(job.group()));
    }

    /// The greater the better.
    private double score(Progress at) {
        return job.loss().isRegression() ? -at.testLoss() : at.accuracy();
    }
}
