package io.trainyard.worker;

import io.trainyard.custody.Parking;
import io.trainyard.custody.Parking.Parked;
import io.trainyard.custody.Rank;
import io.trainyard.event.Control.Wish;
import io.trainyard.topics.Priority;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The commands of a queue, and with them those that wait beside it for their project's turn: whoever is next by weight
/// and use, see [SharesView].
final class FairQueue implements CommandQueue {
    /// So many commands in a row are taken from the topics where one that is parked might be taken: what is looked for
    /// may be far behind, and a worker must not be idle for long.
    private static final int MAX_AHEAD = 50;

    /// How much later, in beats, the next in the order takes a command that is parked, and after how many places nobody
    /// is waited for.
    private static final int BEATS_APART = 2;

    private static final int MAX_APART = 5;

    private final CommandQueue queue;
    private final Surroundings around;
    private final CustodyCommand held;
    private final Map<String, Long> tried = new HashMap<>(); // and at which beat
    private final Map<String, Long> wanted = new HashMap<>(); // since which beat
    private int ahead;

    FairQueue(CommandQueue queue, Surroundings around) {
        this.queue = queue;
        this.around = around;
        this.held = new CustodyCommand(around);
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        SharesView shares = around.fleet().shares();
        letGo(shares.beats());
        List<Parked<Deferred>> open = open(shares);
        List<Priority> order = around.order().now();
        Optional<Parked<Deferred>> next =
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

    /// What was held and not accepted stays where it is; it is not tried again at once.
    private void letGo(long beat) {
        String key = held.letGo();
        if (key != null) {
            tried.put(key, beat);
        }
        tried.values().removeIf(at -> at < beat);
    }

    private List<Parked<Deferred>> open(SharesView shares) {
        held.keep(shares.parked().stream().map(Parked::key).collect(Collectors.toSet()));
        wanted.keySet()
                .retainAll(shares.parked().stream()
                        .filter(one -> shares.standings().hasRoom(one.project()))
                        .map(Parked::key)
                        .collect(Collectors.toSet()));
        return shares.parked().stream()
                .filter(one -> !tried.containsKey(one.key()) && !held.isDealtWith(one.key(), one.since()))
                .toList();
    }

    /// What somebody cancelled or paused needs no turn: nobody will run it. Nor does what keeps a permit while it
    /// waits: whoever's turn it was would wait for that permit.
    private Optional<Parked<Deferred>> atOnce(List<Parked<Deferred>> open) {
        Set<String> permitted = around.fleet().keepPermits();
        return open.stream()
                .filter(one ->
                        permitted.contains(one.job()) || around.fleet().wishes().of(one.job()) != Wish.RUN)
                .filter(this::isDue)
                .findFirst();
    }

    private Optional<Parked<Deferred>> first(List<Parked<Deferred>> open, SharesView.Turn turn) {
        Stream<Parked<Deferred>> its = open.stream().filter(turn::isOf).filter(this::isDue);
        return Parking.oldest(its);
    }

    /// Of idle workers the first in the order of a command may take it at once; the others later, in case that one does
    /// not.
    private boolean isDue(Parked<Deferred> command) {
        SharesView shares = around.fleet().shares();
        int rank = Rank.of(around.rules().worker(), command.key(), shares.idle());
        long since = wanted.computeIfAbsent(command.key(), _ -> shares.beats());
        return shares.beats() - since >= (long) BEATS_APART * Math.min(rank, MAX_APART);
    }

    private ConsumerRecord<byte[], byte[]> hold(Parked<Deferred> command) {
        ahead = 0;
        held.hold(command.key(), command.since());
        return command.command().command();
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> stray() {
        var _ = held.letGo(); // what is accepted next is the stray
        return queue.stray();
    }

    @Override
    public boolean accept() {
        return held.isHeld() ? held.accept() : queue.accept();
    }

    @Override
    public boolean renew() {
        return held.isHeld() || queue.renew();
    }

    @Override
    public int deliveries() {
        return held.isHeld() ? 0 : queue.deliveries();
    }

    @Override
    public void close() {
        queue.close();
    }
}
