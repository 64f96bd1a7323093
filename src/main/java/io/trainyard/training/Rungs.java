package io.trainyard.training;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Halving;
import org.jspecify.annotations.Nullable;

/// A job at the rungs of its `asha`: it keeps its results there, and rests where others of its group are better. Of a
/// job
/// without, and where nobody would have it go on, there are none.
final class Rungs {
    private final JobSpec job;
    private final Supervisor supervisor;
    private final Halving halving;
    private @Nullable Integer rung; // at which it rests
    private @Nullable String reason;

    /// @param folder the job's own
    Rungs(JobSpec job, JobFolder folder, Supervisor supervisor) {
        this.job = job;
        this.supervisor = supervisor;
        this.halving = new Halving(folder::group);
    }

    /// Whether there may be one where the job stands: once an epoch is tested.
    boolean mayBeAt(Progress at) {
        return job.asha() != null && at.stepOfEpoch() == 0 && at.epoch() > 0 && supervisor.heedsRungs();
    }

    /// Keeps its result, and says whether it rests.
    boolean restsAt(Progress at) {
        reason = halving.rests(job, at.epoch(), score(at)).orElse(null);
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

    /// The job ends before its last epoch: what is left of its rungs need not wait for it.
    ///
    /// @param end where it stands
    void end(Progress end) {
        end(score(end));
    }

    /// The same of one that has failed.
    void fail() {
        end(Double.NaN);
    }

    private void end(double score) {
        if (job.asha() != null && supervisor.heedsRungs()) {
            halving.ends(job, score);
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
