package io.trainyard.worker;

import io.trainyard.worker.SimTopic.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A share group on a topic of [SimKafka], as Kafka 4.3's `SharePartition` keeps it: a window of records, from the
/// oldest that is not dealt with to the newest that was handed out.
final class SimShareGroup {
    /// @param lock how long a record stays with a member
    /// @param deliveries how often a record is handed out before it is dropped silently
    /// @param window the most records between the oldest not dealt with and the newest handed out
    record Limits(Duration lock, int deliveries, int window) {}

    /// A record that was handed out.
    record Delivered(Entry entry, int deliveries) {}

    private enum State {
        AVAILABLE,
        ACQUIRED,
        ACKNOWLEDGED,
        ARCHIVED
    }

    private static final class InFlight {
        final Entry entry;
        State state = State.AVAILABLE;
        int deliveries;
        int durableDeliveries; // as a broker that starts again knows it

        @Nullable
        Object member;

        @Nullable
        SimTimer lapse;

        InFlight(Entry entry) {
            this.entry = entry;
        }

        boolean isOver() {
            return state == State.ACKNOWLEDGED || state == State.ARCHIVED;
        }
    }

    private final SimWorld world;
    private final SimTopic topic;
    private final Limits limits;
    private final TreeMap<Long, InFlight> inFlight = new TreeMap<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private int dropped;
    private long start; // the oldest offset that is not dealt with
    private long next; // the newest that was handed out, and one

    SimShareGroup(SimWorld world, SimTopic topic, Limits limits) {
        this.world = world;
        this.topic = topic;
        this.limits = limits;
        topic.atAppend(this::available);
    }

    /// Hands a member the first record that is free, if the window allows.
    Optional<Delivered> acquire(Object member) {
        skipTrimmed();
        for (InFlight record : inFlight.values()) {
            if (record.state == State.AVAILABLE) {
                return Optional.of(lock(record, member));
            }
        }
        if (next - start >= limits.window()) {
            return Optional.empty();
        }
        List<Entry> fresh = topic.from(next, 1);
        if (fresh.isEmpty()) {
            return Optional.empty();
        }
        InFlight record = new InFlight(fresh.getFirst());
        next = record.entry.offset() + 1;
        inFlight.put(record.entry.offset(), record);
        return Optional.of(lock(record, member));
    }

    private Delivered lock(InFlight record, Object member) {
        record.state = State.ACQUIRED;
        record.member = member;
        record.deliveries++;
        record.lapse = world.after(limits.lock(), () -> giveBack(record));
        world.note("acquire " + record.deliveries, topic.name(), record.entry.offset());
        return new Delivered(record.entry, record.deliveries);
    }

    private void giveBack(InFlight record) {
        unlock(record);
        record.durableDeliveries = record.deliveries;
        record.state = record.deliveries >= limits.deliveries() ? State.ARCHIVED : State.AVAILABLE;
        dropped += record.state == State.ARCHIVED ? 1 : 0;
        world.note("give back, " + record.state, topic.name(), record.entry.offset());
        advance();
        available();
    }

    private static void unlock(InFlight record) {
        if (record.lapse != null) {
            record.lapse.cancel();
        }
        record.lapse = null;
        record.member = null;
    }

    /// A member is done with a record.
    ///
    /// @return whether the broker reports success: it does so, too, for what is long dealt with
    boolean accept(Object member, long offset) {
        if (offset < start) {
            world.note("accept too late", topic.name(), offset);
            return true;
        }
        InFlight record = inFlight.get(offset);
        if (record == null || record.state != State.ACQUIRED || record.member != member) {
            world.note("accept refused", topic.name(), offset);
            return false;
        }
        unlock(record);
        record.state = State.ACKNOWLEDGED;
        world.note("accept", topic.name(), offset);
        advance();
        available(); // the window may have moved
        return true;
    }

    /// A member keeps a record for another lock's time.
    ///
    /// @return whether it has it
    boolean renew(Object member, long offset) {
        InFlight record = inFlight.get(offset);
        if (record == null || record.state != State.ACQUIRED || record.member != member) {
            world.note("renewal refused", topic.name(), offset);
            return false;
        }
        if (record.lapse != null) {
            record.lapse.cancel();
        }
        record.lapse = world.after(limits.lock(), () -> giveBack(record));
        world.note("renew", topic.name(), offset);
        return true;
    }

    /// A member has left, or its connection is gone: what it holds is free again.
    void leave(Object member) {
        for (InFlight record : List.copyOf(inFlight.values())) {
            if (record.member == member) {
                giveBack(record);
            }
        }
    }

    /// The broker has started again: it knows no locks, and only the deliveries that it had written down.
    void restart() {
        for (InFlight record : inFlight.values()) {
            if (record.state == State.ACQUIRED) {
                unlock(record);
                record.state = State.AVAILABLE;
            }
            record.deliveries = record.durableDeliveries;
        }
        available();
    }

    private void advance() {
        while (!inFlight.isEmpty() && inFlight.firstEntry().getValue().isOver()) {
            start = inFlight.pollFirstEntry().getKey() + 1;
        }
    }

    private void skipTrimmed() {
        if (topic.start() > start) {
            Map<Long, InFlight> trimmed = inFlight.headMap(topic.start());
            trimmed.values().forEach(SimShareGroup::unlock);
            trimmed.clear();
            start = topic.start();
            next = Math.max(next, start);
            advance();
        }
    }

    /// Tells whenever there may be a record to be had.
    void atAvailable(Runnable member) {
        waiting.add(member);
    }

    void forget(Runnable member) {
        waiting.remove(member);
    }

    private void available() {
        waiting.forEach(Runnable::run);
    }

    /// How many records were dropped silently.
    int dropped() {
        return dropped;
    }

    /// The oldest offset that is not dealt with.
    long start() {
        return start;
    }

    /// How many records nobody has dealt with: what Kafka calls the lag.
    long lag() {
        return topic.end()
                - start
                - inFlight.values().stream().filter(InFlight::isOver).count();
    }
}
