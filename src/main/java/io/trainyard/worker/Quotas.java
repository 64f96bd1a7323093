package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.custody.Permits;
import io.trainyard.custody.Permits.Attempt;
import io.trainyard.spec.JobSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The quotas of jobs that run at a time: whoever begins an attempt of a project that has one takes a permit
/// first.
final class Quotas {
    /// Nobody says that an attempt is held which has a permit: after so many of this worker's heartbeats whoever
    /// took it has not lived to begin.
    private static final int NEVER_BEGUN_BEATS = 8;

    /// Attempts that are watched for it; past it all are watched anew.
    private static final int MAX_WATCHED = 10_000;

    private final Surroundings around;
    private final Permits permits;
    private final Map<Attempt, Long> unheard = new HashMap<>(); // since which beat

    Quotas(Surroundings around) {
        this.around = around;
        this.permits = new Permits(around.store());
    }

    /// @return whether the attempt may begin
    /// @throws io.trainyard.checkpoint.CheckpointException if the store cannot be used
    boolean admit(JobSpec job, int attempt) {
        Integer most = around.rules().shares().projects().of(job.projectName()).running();
        return most == null
                || permits.take(
                        job.projectName(),
                        most,
                        new Attempt(job.id(), attempt, around.rules().worker()),
                        this::isOver);
    }

    /// What the store and custody say counts; that nobody says anything, only after a while.
    private boolean isOver(Attempt attempt) {
        Optional<Boolean> told = isOverByCustody(attempt).or(() -> isOverByStore(attempt));
        if (told.isPresent()) {
            unheard.remove(attempt);
            return told.get();
        }
        if (unheard.size() >= MAX_WATCHED) {
            unheard.clear();
        }
        long now = around.fleet().shares().beats();
        return now - unheard.computeIfAbsent(attempt, _ -> now) >= NEVER_BEGUN_BEATS;
    }

    /// A job whose worker was given up keeps its permit until it goes on: that worker may only have stood still,
    /// and go on itself.
    private Optional<Boolean> isOverByCustody(Attempt attempt) {
        FleetView.Ownership custody = around.fleet().ownership(attempt.job());
        if (custody == null || custody.attempt() < attempt.number()) {
            return Optional.empty();
        }
        boolean isLater = custody.attempt() > attempt.number();
        return switch (custody.state()) {
            case HELD -> Optional.of(isLater);
            case PAUSED -> isLater ? Optional.of(true) : Optional.empty();
            case WAITING -> isLater ? Optional.of(isHandedBack(attempt, custody)) : Optional.empty();
        };
    }

    /// What a worker was given up with is to be taken first: until then nobody has its permit.
    private boolean isHandedBack(Attempt attempt, FleetView.Ownership custody) {
        boolean handedBack = custody.worker().equals(attempt.worker());
        if (!handedBack) {
            around.fleet().keepsPermit(attempt.job());
        }
        return handedBack;
    }

    private Optional<Boolean> isOverByStore(Attempt attempt) {
        JobFolder folder = new JobFolder(around.store(), attempt.job());
        return folder.isSuperseded(attempt.number()) ? Optional.of(true) : Optional.empty();
    }
}
