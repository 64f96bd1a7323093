package io.trainyard.worker;

import io.trainyard.worker.SimTopic.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A share group on a topic of [SimKafka], modelled on `SharePartition` of Kafka 4.3: a window of records from
/// the oldest unacknowledged one to the newest delivered one.
final class SimShareGroup {
    /// @param lock how long a delivered record belongs to a member
    /// @param deliveries how often a record is delivered before it is dropped silently
    /// @param window the most records from the oldest unacknowledged to the newest delivered one
    record Limits(Duration lock, int deliveries, int window) {}

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
        int durableDeliveries; // the count that survives a restart of the broker

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
    private long start; // the oldest unacknowledged offset
    private long next; // one after the newest delivered offset

    SimShareGroup(SimWorld world, SimTopic topic, Limits limits) {
        this.world = world;
        this.topic = topic;
        this.limits = limits;
        topic.atAppend(this::available);
    }

    /// Delivers the first available record to a member, if the window allows.
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
        record.lapse = world.after(limits.lock(), () -> expire(record));
        world.note("acquire " + record.deliveries, topic.name(), record.entry.offset());
        return new Delivered(record.entry, record.deliveries);
    }

    private void expire(InFlight record) {
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

    /// Acknowledges a record.
    ///
    /// @return whether the broker reports success; it also does for records that were acknowledged long ago
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

    /// Renews the lock of a record.
    ///
    /// @return whether the member still has the lock
    boolean renew(Object member, long offset) {
        InFlight record = inFlight.get(offset);
        if (record == null || record.state != State.ACQUIRED || record.member != member) {
            world.note("renewal refused", topic.name(), offset);
            return false;
        }
        if (record.lapse != null) {
            record.lapse.cancel();
        }
        record.lapse = world.after(limits.lock(), () -> expire(record));
        world.note("renew", topic.name(), offset);
        return true;
    }

    /// A member has left or lost its connection: its records become available again.
    void leave(Object member) {
        for (InFlight record : List.copyOf(inFlight.values())) {
            if (record.member == member) {
                expire(record);
            }
        }
    }

    /// The broker has restarted: locks are lost, and only persisted delivery counts remain.
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

    /// @param member called whenever a record may be available
    void atAvailable(Runnable member) {
        waiting.add(member);
    }

    void forget(Runnable member) {
        waiting.remove(member);
    }

    private void available() {
        waiting.forEach(Runnable::run);
    }

    int dropped() {
        return dropped;
    }

    /// The oldest unacknowledged offset.
    long start() {
        return start;
    }

    /// The number of unacknowledged records.
    long lag() {
        return topic.end()
                - start
                - inFlight.values().stream().filter(InFlight::isOver).count();
    }
}
