package io.trainyard.worker;

import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// A broker of a [SimWorld] with the topics of one fleet. It models the part of Kafka 4.3 that workers use. It
/// can be stopped, and its network can be bad.
final class SimKafka {
    /// The network between the clients of one fleet and their brokers.
    ///
    /// @param delay the longest time that a request or an answer takes
    /// @param lost the share of requests that are lost, or lose their answer
    /// @param refused the share of fetches for a command that fail with an exception
    record Weather(Duration delay, double lost, double refused) {
        static final Weather CALM = new Weather(Duration.ofMillis(3), 0, 0);

        Weather {
            if (lost < 0 || lost >= 1 || refused < 0 || refused >= 1) {
                throw new IllegalArgumentException("a share is from 0 to below 1");
            }
        }
    }

    /// Brokers refuse timestamps further ahead of their clock.
    private static final long MAX_AHEAD_MILLIS = Duration.ofHours(1).toMillis();

    /// Topics with `message.timestamp.type=LogAppendTime`.
    private static final Set<Topic> TIMED_BY_BROKERS = Set.of(Topic.OWNERSHIP, Topic.WORKERS);

    private static final Set<Topic> COMPACTED =
            Set.of(Topic.OWNERSHIP, Topic.CONTROL, Topic.JOBS, Topic.CHECKPOINTS, Topic.WORKERS);

    private final SimWorld world;
    private final String prefix;
    private final SimShareGroup.Limits limits;
    private final SplittableRandom chance;
    private final Map<String, SimTopic> topics = new LinkedHashMap<>();
    private final Map<String, SimShareGroup> groups = new LinkedHashMap<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private final Set<String> compacted;
    private final Set<String> timedByBrokers;
    private final Map<String, Long> writableFromNanos = new HashMap<>();
    private final Map<String, Boolean> accepts = new HashMap<>();
    private Weather weather = Weather.CALM;
    private boolean up = true;
    private int starts = 1;

    SimKafka(SimWorld world, String prefix) {
        this(world, prefix, new SimShareGroup.Limits(Duration.ofSeconds(15), 10, 2000));
    }

    SimKafka(SimWorld world, String prefix, SimShareGroup.Limits limits) {
        this.world = world;
        this.prefix = prefix;
        this.limits = limits;
        this.chance = world.chance("kafka");
        this.compacted = COMPACTED.stream().map(topic -> topic.name(prefix)).collect(Collectors.toSet());
        this.timedByBrokers =
                TIMED_BY_BROKERS.stream().map(topic -> topic.name(prefix)).collect(Collectors.toSet());
    }

    SimWorld world() {
        return world;
    }

    String prefix() {
        return prefix;
    }

    SimTopic topic(String name) {
        return topics.computeIfAbsent(name, created -> new SimTopic(world, created));
    }

    SimTopic topic(Topic topic) {
        return topic(topic.name(prefix));
    }

    /// The newest body for a key; empty if the key has none or a tombstone.
    Optional<byte[]> newest(Topic topic, String key) {
        SimTopic log = topic(topic);
        byte[] newest = null;
        for (SimTopic.Entry entry : log.from(log.start(), Integer.MAX_VALUE)) {
            newest = key.equals(entry.key()) ? entry.value() : newest;
        }
        return Optional.ofNullable(newest);
    }

    SimShareGroup group(String topic) {
        return groups.computeIfAbsent(topic, name -> new SimShareGroup(world, topic(name), limits));
    }

    /// Appends a record at once, as a client outside the fleet does.
    void publish(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        byte[] key = record.key();
        boolean timed = record.timestamp() != null && !timedByBrokers.contains(record.topic());
        topic(record.topic())
                .append(new ProducerRecord<>(
                        record.topic(),
                        null,
                        timed ? record.timestamp() : Long.valueOf(millis()),
                        key == null ? null : new String(key, StandardCharsets.UTF_8),
                        record.value(),
                        record.headers()));
    }

    private long millis() {
        return SimProcess.BEGINNING.toEpochMilli() + world.nanos() / 1_000_000;
    }

    /// Whether brokers refuse a record because of its timestamp.
    boolean refuses(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        return record.timestamp() != null
                && record.timestamp() - millis() > MAX_AHEAD_MILLIS
                && !timedByBrokers.contains(record.topic());
    }

    /// For a while a topic has too few in-sync replicas for writes.
    void makeUnwritable(Topic topic, Duration time) {
        world.note("unwritable", topic.name(prefix), time.toMillis());
        writableFromNanos.put(topic.name(prefix), world.nanos() + time.toNanos());
    }

    boolean isWritable(String topic) {
        return world.nanos() >= writableFromNanos.getOrDefault(topic, 0L);
    }

    /// The number of commands that have not been acknowledged yet.
    long lag() {
        return groups.values().stream().mapToLong(SimShareGroup::lag).sum();
    }

    /// The number of commands that the brokers dropped silently at the delivery limit.
    int dropped() {
        return groups.values().stream().mapToInt(SimShareGroup::dropped).sum();
    }

    void weather(Weather next) {
        weather = next;
    }

    Weather weather() {
        return weather;
    }

    boolean isUp() {
        return up;
    }

    /// How often the broker was started: a restart ends the members' sessions.
    int starts() {
        return starts;
    }

    /// Stops the broker. Appended records stay.
    void stop() {
        if (up) {
            world.note("stop", "kafka", starts);
            up = false;
        }
    }

    void start() {
        if (!up) {
            starts++;
            world.note("start", "kafka", starts);
            up = true;
            groups.values().forEach(SimShareGroup::restart);
            waiting.forEach(Runnable::run);
        }
    }

    void restart(Duration down) {
        stop();
        SimTimer _ = world.after(down, this::start);
    }

    /// Makes all clients retry, as they do after a network is repaired.
    void wake() {
        List.copyOf(waiting).forEach(Runnable::run);
    }

    /// @param client called whenever the broker has started again
    void atStart(Runnable client) {
        waiting.add(client);
    }

    void forget(Runnable client) {
        waiting.remove(client);
    }

    /// Compacts a random compacted topic up to a random offset.
    void compactSomething() {
        List<SimTopic> some = topics.values().stream()
                .filter(topic -> compacted.contains(topic.name()))
                .toList();
        if (!some.isEmpty()) {
            SimTopic topic = some.get(chance.nextInt(some.size()));
            topic.compact(topic.end() == 0 ? 0 : chance.nextLong(topic.end() + 1));
        }
    }

    /// Records the answer to a member's acknowledgement.
    void answered(String member, String place, boolean accepted) {
        accepts.merge(member + " " + place, accepted, Boolean::logicalOr);
    }

    /// Whether the broker ever confirmed a record to a member.
    ///
    /// @param place topic, partition and offset
    boolean wasAccepted(String member, String place) {
        return accepts.getOrDefault(member + " " + place, false);
    }

    /// Deletes acknowledged commands, as [CommandSweep] does.
    void sweep() {
        groups.forEach((topic, group) -> topic(topic).trim(group.start()));
    }

    /// Compacts all compacted topics completely.
    void compactAll() {
        topics.values().stream()
                .filter(topic -> compacted.contains(topic.name()))
                .forEach(topic -> topic.compact(topic.end()));
    }

    /// A random network delay.
    Duration delay() {
        long most = weather.delay().toNanos();
        return Duration.ofNanos(most <= 0 ? 0 : 1 + chance.nextLong(most));
    }

    /// @param share the probability of true
    boolean happens(double share) {
        return share > 0 && chance.nextDouble() < share;
    }

    /// A number from 0 to `bound` - 1.
    int any(int bound) {
        return chance.nextInt(bound);
    }
}
