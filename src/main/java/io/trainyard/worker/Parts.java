package io.trainyard.worker;

import io.trainyard.device.PartLostException;
import io.trainyard.event.WorkerStatus;
import io.trainyard.training.PartTraining;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// The parts that a worker trains of jobs that others have. Nobody assigns them: a worker with a free slot comes to
/// the first that [gathers][Invitation#ORDER], and leaves it, as long as not all are there, when another is first,
/// when something urgent waits, or when it has waited for as long as leaders do. So nobody that waits keeps what one
/// before it needs.
final class Parts {
    private static final System.Logger LOG = System.getLogger(Parts.class.getName());

    /// How soon it is seen that the worker stops.
    private static final Duration TICK = Duration.ofMillis(500);

    private static final long NEVER = -1;

    private final Surroundings around;
    private final Fitness fitness;
    private final ClaimLoop.TakingParts taking;
    private boolean busy; // with one, which has a slot
    private long tried = NEVER; // the heartbeat that it came by last

    /// @param fitness learns what this worker lacks for a job
    Parts(Surroundings around, Fitness fitness, ClaimLoop.TakingParts taking) {
        this.around = around;
        this.fitness = fitness;
        this.taking = taking;
    }

    /// Where to come to, if there is a slot; the caller calls [#train] next.
    synchronized Optional<Invitation> next() {
        if (busy || around.fleet().isUrgent()) {
            return Optional.empty();
        }
        Optional<Invitation> next = around.fleet().gatherings().stream()
                .filter(one -> !one.leader().equals(around.rules().worker()))
                .filter(one ->
                        fitness.lacking(one.job(), around.host().nanoTime()).isEmpty())
                .findFirst()
                .filter(one -> one.heartbeat() != tried); // else it was seen by this very heartbeat what comes of it
        busy = next.isPresent();
        next.ifPresent(one -> tried = one.heartbeat());
        return next;
    }

    /// Trains a part, until its leader says no more, or the worker stops: then what does not stop is left.
    void train(Invitation invitation, StopSignal stop) throws InterruptedException {
        Membership member = new Membership(invitation, stop);
        CompletableFuture<String> result = new CompletableFuture<>();
        Thread thread = around.host().start("part-" + invitation.job(), () -> {
            try (var _ = LogFields.of(
                    invitation.job(),
                    invitation.gathering().attempt(),
                    around.rules().worker())) {
                var gathering = invitation.gathering();
                result.complete(taking.runner().run(new InetSocketAddress(gathering.host(), gathering.port()), member));
            } catch (Throwable e) { // an Error too is this part's, not the worker's
                result.completeExceptionally(e);
            }
        });
        try {
            awaitEnd(result, member, thread);
        } finally {
            around.activity().part(null);
            synchronized (this) {
                busy = false;
            }
        }
    }

    private void awaitEnd(CompletableFuture<String> result, Membership member, Thread thread)
            throws InterruptedException {
        while (true) {
            try {
                say(member, around.host().await(result, TICK));
                return;
            } catch (TimeoutException _) {
                if (member.stop.isRequested()) {
                    member.leave.run();
                }
                if (member.stop.isOlderThan(around.rules().grace())) {
                    thread.interrupt();
                    return;
                }
            } catch (ExecutionException e) {
                failed(member, e.getCause() == null ? e : e.getCause());
                return;
            }
        }
    }

    private void failed(Membership member, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        if (!(cause instanceof PartLostException)) {
            fitness.lacks(member.invitation.job(), reason, around.host().nanoTime());
        }
        say(member, reason);
    }

    private void say(Membership member, String end) {
        LOG.log(
                member.begun ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
                "job={0} worker={1} trains no part of it any more: {2}",
                member.invitation.job(),
                around.rules().worker(),
                end);
    }

    /// While it waits, and while it trains.
    private final class Membership implements PartTraining.Member {
        private final Invitation invitation;
        private final StopSignal stop;
        private final long begin = around.host().nanoTime();
        private volatile Runnable leave = () -> {};
        private volatile boolean begun;

        Membership(Invitation invitation, StopSignal stop) {
            this.invitation = invitation;
            this.stop = stop;
        }

        @Override
        public boolean stops() {
            return stop.isRequested()
                    || around.fleet().isUrgent()
                    || around.host().nanoTime() - begin > taking.within().toNanos()
                    || around.fleet().gatherings().stream()
                            .anyMatch(other ->
                                    !other.leader().equals(around.rules().worker()) && other.isBefore(invitation));
        }

        @Override
        public Optional<String> missing(String worker) {
            return around.fleet().missing(worker);
        }

        @Override
        public void begins(String job, int attempt, Runnable toLeave) {
            leave = toLeave;
            begun = true;
            around.activity().part(new WorkerStatus.Part(job, attempt));
            LOG.log(
                    System.Logger.Level.INFO,
                    "job={0} attempt={1} worker={2} trains a part of it, for worker {3}",
                    job,
                    attempt,
                    around.rules().worker(),
                    invitation.leader());
        }
    }
}
