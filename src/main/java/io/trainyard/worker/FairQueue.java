package io.trainyard.worker;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.ownership.DeferredByProject;
import io.trainyard.ownership.DeferredByProject.DeferredEntry;
import io.trainyard.ownership.RendezvousRank;
import io.trainyard.topics.Priority;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The commands of a queue and the deferred commands of projects. The next one is chosen by weight and use, see
/// [ProjectSharesView].
final class FairQueue extends QueueWithDeferred {
    /// After this many commands in a row from the topics, a deferred command is taken: the command in turn may
    /// be far behind, and the worker must not stay idle.
    private static final int MAX_AHEAD = 50;

    /// Heartbeats by which each further worker in the order waits longer before it takes a deferred command, up
    /// to a limit.
    private static final int BEATS_APART = 2;

    private static final int MAX_APART = 5;

    private final Map<String, Long> tried = new HashMap<>(); // and at which beat
    private final Map<String, Long> wanted = new HashMap<>(); // since which beat
    private int ahead;

    FairQueue(CommandQueue queue, WorkerContext context) {
        super(queue, context);
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        ProjectSharesView shares = context.fleet().shares();
        release(shares.beats());
        List<DeferredEntry<DeferredRecord>> open = open(shares);
        List<Priority> order = context.order().now();
        Optional<DeferredEntry<DeferredRecord>> next =
                atOnce(open).or(() -> shares.next(order, open).flatMap(turn -> first(open, turn)));
        if (next.isEmpty() && ahead < MAX_AHEAD) {
            var handed = queue.next();
            if (handed.isPresent()) {
                ahead++;
                return handed;
            }
        }
        return next.or(() -> shares.nextOf(order, open).flatMap(turn -> first(open, turn)))
                .map(this::hold)
                .or(() -> {
                    ahead = 0;
                    return Optional.empty();
                });
    }

    /// A command that was held but not accepted stays deferred. It is not tried again within the same beat.
    private void release(long beat) {
        String key = held.release();
        if (key != null) {
            tried.put(key, beat);
        }
        tried.values().removeIf(at -> at < beat);
    }

    private List<DeferredEntry<DeferredRecord>> open(ProjectSharesView shares) {
        held.keep(shares.deferred().stream().map(DeferredEntry::key).collect(Collectors.toSet()));
        wanted.keySet()
                .retainAll(shares.deferred().stream()
                        .filter(one -> shares.projectOrder().hasCapacity(one.project()))
                        .map(DeferredEntry::key)
                        .collect(Collectors.toSet()));
        return shares.deferred().stream()
                .filter(one -> !tried.containsKey(one.key()) && !held.isDealtWith(one.key(), one.since()))
                .toList();
    }

    /// A job that is to be cancelled or paused needs no turn. The same goes for a job that keeps a permit while
    /// it waits: others would wait for that permit.
    private Optional<DeferredEntry<DeferredRecord>> atOnce(List<DeferredEntry<DeferredRecord>> open) {
        Set<String> permitted = context.fleet().keepPermits();
        return open.stream()
                .filter(one -> permitted.contains(one.job())
                        || context.fleet().controls().of(one.job()) != DesiredState.RUN)
                .filter(this::isDue)
                .findFirst();
    }

    private Optional<DeferredEntry<DeferredRecord>> first(
            List<DeferredEntry<DeferredRecord>> open, ProjectSharesView.Turn turn) {
        Stream<DeferredEntry<DeferredRecord>> its =
                open.stream().filter(turn::isOf).filter(this::isDue);
        return DeferredByProject.oldest(its);
    }

    /// The first idle worker in a command's order may take it at once, the others later.
    private boolean isDue(DeferredEntry<DeferredRecord> command) {
        ProjectSharesView shares = context.fleet().shares();
        int rank = RendezvousRank.of(context.rules().worker(), command.key(), shares.idle());
        long since = wanted.computeIfAbsent(command.key(), _ -> shares.beats());
        return shares.beats() - since >= (long) BEATS_APART * Math.min(rank, MAX_APART);
    }

    private ConsumerRecord<byte[], byte[]> hold(DeferredEntry<DeferredRecord> command) {
        ahead = 0;
        held.hold(command.key(), command.since());
        return command.command().command();
    }
}
