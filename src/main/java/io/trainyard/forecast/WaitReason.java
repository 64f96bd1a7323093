package io.trainyard.forecast;

import io.trainyard.share.Hold;
import org.jspecify.annotations.Nullable;

/// Why a job waits.
///
/// @param word what it is, as JSON calls it: `allBusy`
/// @param sentence for people, after "waits: "
/// @param ends whether a worker will take the job
public record WaitReason(String word, String sentence, boolean ends) {
    /// A worker that is free is just about to take it.
    public static final WaitReason BEING_TAKEN = new WaitReason("beingTaken", "a worker takes it in a moment", true);

    static final WaitReason NO_WORKER = new WaitReason("noWorker", "no worker is there", false);
    static final WaitReason PAUSED = new WaitReason("paused", "it is paused until somebody resumes it", false);

    /// @param kind of device that no worker has
    static WaitReason noWorkerOfKind(String kind) {
        return new WaitReason("noWorkerOfKind", "no worker is there whose device is " + kind, false);
    }

    /// @param busy how many have other jobs, of the workers that would take it, or might but for a trouble
    /// @param troubled one of those that take no jobs; null: all do
    static WaitReason allBusy(int busy, int workers, @Nullable WorkerFacts troubled) {
        String all = workers == 1 ? "the one worker is busy" : "all %d workers are busy".formatted(workers);
        return new WaitReason(
                "allBusy",
                troubled == null
                        ? all
                        : "%d of %d workers are busy, and %s takes no jobs: %s"
                                .formatted(busy, workers, troubled.worker(), troubled.trouble()),
                true);
    }

    /// @param one of those that take no jobs
    static WaitReason allInTrouble(int workers, WorkerFacts one) {
        String sentence = workers == 1
                ? "the one worker, %s, takes no jobs: %s".formatted(one.worker(), one.trouble())
                : "none of %d workers takes jobs; %s: %s".formatted(workers, one.worker(), one.trouble());
        return new WaitReason("allInTrouble", sentence, false);
    }

    public static WaitReason behindUrgent(int jobs) {
        return new WaitReason(
                "behindUrgent",
                jobs == 1
                        ? "one job that is more urgent comes first"
                        : "%d jobs that are more urgent come first".formatted(jobs),
                true);
    }

    /// @param job that is less urgent
    static WaitReason makesRoom(String job) {
        return new WaitReason("makesRoom", "job %s makes room for it".formatted(job), true);
    }

    /// @param project whose jobs come first that were asked for later
    static WaitReason notItsTurn(String project) {
        return new WaitReason("notItsTurn", new Hold.Turn(project).sentence(), true);
    }

    static WaitReason atQuota(Hold.Quota quota) {
        return new WaitReason("atQuota", quota.sentence(), quota.most() > 0);
    }

    /// @param contract that its command needs; 0: it cannot be read here
    /// @param understood the newest of workers that might take it
    static WaitReason needsNewerWorker(int contract, int understood) {
        return new WaitReason(
                "needsNewerWorker",
                contract == 0
                        ? "its command cannot be read here; a newer worker may understand it"
                        : "its command needs a worker that understands contract %d; those that are there understand %d"
                                .formatted(contract, understood),
                false);
    }

    /// @param worker the only one that might take it
    /// @param why it could not run it
    static WaitReason leftAlone(String worker, @Nullable String why) {
        return new WaitReason(
                "leftAlone",
                "%s gave it back, and leaves it to others for ten minutes: %s".formatted(worker, why),
                false);
    }

    /// Whether a job that waits for this would rather have another make room for it.
    boolean isForOthers() {
        return word.equals("allBusy") || word.equals("behindUrgent") || word.equals("notItsTurn");
    }
}
