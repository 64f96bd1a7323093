package io.trainyard.forecast;

import io.trainyard.share.Hold;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Why a job waits.
public sealed interface WaitReason {
    /// For people, after "waits: ".
    String sentence();

    /// What it is, as JSON calls it: `allBusy`.
    default String word() {
        String name = getClass().getSimpleName();
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    /// A worker that is free is just about to take it.
    record BeingTaken() implements WaitReason {
        @Override
        public String sentence() {
            return "a worker takes it in a moment";
        }
    }

    /// Nobody is there.
    record NoWorker() implements WaitReason {
        @Override
        public String sentence() {
            return "no worker is there";
        }
    }

    /// Workers are there, but none has what the job asks for.
    ///
    /// @param kind of device
    record NoWorkerOfKind(String kind) implements WaitReason {
        @Override
        public String sentence() {
            return "no worker is there whose device is " + kind;
        }
    }

    /// Those that would take it have other jobs.
    ///
    /// @param busy how many of them
    /// @param workers that would take it, or might but for a trouble
    /// @param troubled one of those that are in trouble; null: none is
    /// @param trouble why that one takes no jobs
    record AllBusy(
            int busy,
            int workers,
            @Nullable String troubled,
            @Nullable String trouble) implements WaitReason {
        @Override
        public String sentence() {
            if (troubled != null) {
                return "%d of %d workers are busy, and %s takes no jobs: %s"
                        .formatted(busy, workers, troubled, trouble);
            }
            return workers == 1 ? "the one worker is busy" : "all %d workers are busy".formatted(workers);
        }
    }

    /// Each that might take it takes no jobs at present.
    ///
    /// @param worker one of them
    /// @param trouble why that one takes none
    record AllInTrouble(int workers, String worker, String trouble) implements WaitReason {
        @Override
        public String sentence() {
            return workers == 1
                    ? "the one worker, %s, takes no jobs: %s".formatted(worker, trouble)
                    : "none of %d workers takes jobs; %s: %s".formatted(workers, worker, trouble);
        }
    }

    /// Somebody has paused it.
    record Paused() implements WaitReason {
        @Override
        public String sentence() {
            return "it is paused until somebody resumes it";
        }
    }

    /// More urgent jobs come first.
    record BehindUrgent(int jobs) implements WaitReason {
        @Override
        public String sentence() {
            return jobs == 1
                    ? "one job that is more urgent comes first"
                    : "%d jobs that are more urgent come first".formatted(jobs);
        }
    }

    /// A less urgent one gives its place to it.
    ///
    /// @param job that does
    record MakesRoom(String job) implements WaitReason {
        @Override
        public String sentence() {
            return "job %s makes room for it".formatted(job);
        }
    }

    /// Jobs of another project come first that were asked for later, for that has used less for its weight.
    record NotItsTurn(Hold.Turn turn) implements WaitReason {
        @Override
        public String sentence() {
            return turn.sentence();
        }
    }

    /// Its project has as many running as it may, or will have with those that come before.
    ///
    /// @param quota the project's
    record AtQuota(Hold.Quota quota) implements WaitReason {
        @Override
        public String sentence() {
            return quota.sentence();
        }
    }

    /// Those that are there do not understand its command.
    ///
    /// @param contract that it needs; 0: it cannot be read here
    /// @param understood the newest of workers that might take it
    record NeedsNewerWorker(int contract, int understood) implements WaitReason {
        @Override
        public String sentence() {
            return contract == 0
                    ? "its command cannot be read here; a newer worker may understand it"
                    : "its command needs a worker that understands contract %d; those that are there understand %d"
                            .formatted(contract, understood);
        }
    }

    /// The one worker that might take it could not run it lately.
    ///
    /// @param reason what that said
    record LeftAlone(String worker, String reason) implements WaitReason {
        @Override
        public String sentence() {
            return "%s gave it back, and leaves it to others for ten minutes: %s".formatted(worker, reason);
        }
    }
}
