package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.ownership.Permits;
import io.trainyard.ownership.Permits.Attempt;
import io.trainyard.spec.JobSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The quotas of jobs that run at a time. A worker takes a permit before it begins an attempt of a project with
/// a quota.
final class Quotas {
    /// A permit whose attempt had no owner for this many heartbeats belongs to a worker that died before the
    /// attempt started.
    private static final int NEVER_BEGUN_BEATS = 8;

    /// The limit of attempts that are watched; beyond it the watch starts over.
    private static final int MAX_WATCHED = 10_000;

    private final WorkerContext context;
    private final Permits permits;
    private final Map<Attempt, Long> unconfirmed = new HashMap<>(); // since which beat

    Quotas(WorkerContext context) {
        this.context = context;
        this.permits = new Permits(context.store());
    }

    /// @return whether the attempt may begin
    /// @throws io.trainyard.checkpoint.CheckpointException if the store cannot be used
    boolean admit(JobSpec job, int attempt) {
        Integer most = context.rules().shares().projects().of(job.projectName()).running();
        return most == null
                || permits.take(
                        job.projectName(),
                        most,
                        new Attempt(job.id(), attempt, context.rules().worker()),
                        this::isOver);
    }

    /// The store and the ownership decide at once; missing information only counts after a while.
    private boolean isOver(Attempt attempt) {
        Optional<Boolean> known = isOverByOwnership(attempt).or(() -> isOverByStore(attempt));
        if (known.isPresent()) {
            unconfirmed.remove(attempt);
            return known.get();
        }
        if (unconfirmed.size() >= MAX_WATCHED) {
            unconfirmed.clear();
        }
        long now = context.fleet().shares().beats();
        return now - unconfirmed.computeIfAbsent(attempt, _ -> now) >= NEVER_BEGUN_BEATS;
    }

    /// A job whose worker was declared dead keeps its permit until the job continues: that worker may have been
    /// frozen and continue, too.
    private Optional<Boolean> isOverByOwnership(Attempt attempt) {
        FleetView.OwnedAttempt ownership = context.fleet().ownership(attempt.job());
        if (ownership == null || ownership.attempt() < attempt.number()) {
            return Optional.empty();
        }
        boolean isLater = ownership.attempt() > attempt.number();
        return switch (ownership.state()) {
            case RUNNING -> Optional.of(isLater);
            case PAUSED -> isLater ? Optional.of(true) : Optional.empty();
            case WAITING -> isLater ? Optional.of(isHandedBack(attempt, ownership)) : Optional.empty();
        };
    }

    /// A requeued job is claimed first; until then its permit stays taken.
    private boolean isHandedBack(Attempt attempt, FleetView.OwnedAttempt ownership) {
        boolean handedBack = ownership.worker().equals(attempt.worker());
        if (!handedBack) {
            context.fleet().keepsPermit(attempt.job());
        }
        return handedBack;
    }

    private Optional<Boolean> isOverByStore(Attempt attempt) {
        JobFolder folder = new JobFolder(context.store(), attempt.job());
        return folder.isSuperseded(attempt.number()) ? Optional.of(true) : Optional.empty();
    }
}
