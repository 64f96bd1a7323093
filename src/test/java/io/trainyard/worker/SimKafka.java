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

/// A broker of a [SimWorld], with the topics of one fleet: as much of Kafka 4.3 as workers see of it. It can be
/// stopped, and its network can be bad.
final class SimKafka {
    /// What the clients of one fleet see of their brokers.
    ///
    /// @param delay the longest that a request or an answer is on its way
    /// @param lost the share of requests of which the request or the answer does not get there
    /// @param refused the share of questions for a command that end with an exception
    record Weather(Duration delay, double lost, double refused) {
        static final Weather CALM = new Weather(Duration.ofMillis(3), 0, 0);

        Weather {
            if (lost < 0 || lost >= 1 || refused < 0 || refused >= 1) {
                throw new IllegalArgumentException("a share is from 0 to below 1");
            }
        }
    }

    /// As brokers are set: what is timed further ahead of their clock is refused.
    private static final long MAX_AHEAD_MILLIS = Duration.ofHours(1).toMillis();

    /// Their records are timed by the brokers.
    private static final Set<Topic> TIMED_BY_BROKERS = Set.of(Topic.CUSTODY, Topic.WORKERS);

    private static final Set<Topic> COMPACTED =
            Set.of(Topic.CUSTODY, Topic.CONTROL, Topic.JOBS, Topic.CHECKPOINTS, Topic.WORKERS);

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

    /// The newest body under a key; empty where there is none, or where its end is marked.
    Optional<byte[]> newest(Topic topic, String key) {
        SimTopic log = topic(topic);
        byte[] newest = null;
        for (SimTopic.Entry entry : log.from(log.start(), Integer.MAX_VALUE)) {
            newest = key.equals(entry.key()) ? entry.value() : newest;
        }
        return Optional.ofNullable(newest);
    }

    /// The share group of a topic of commands.
    SimShareGroup group(String topic) {
        return groups.computeIfAbsent(topic, name -> new SimShareGroup(world, topic(name), limits));
    }

    /// Appends a record at once, as somebody outside the fleet does.
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

    /// Whether brokers refuse a record for its timestamp.
    boolean refuses(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        return record.timestamp() != null
                && record.timestamp() - millis() > MAX_AHEAD_MILLIS
                && !timedByBrokers.contains(record.topic());
    }

    /// For some time a topic has too few replicas to be written.
    void makeUnwritable(Topic topic, Duration time) {
        world.note("unwritable", topic.name(prefix), time.toMillis());
        writableFromNanos.put(topic.name(prefix), world.nanos() + time.toNanos());
    }

    boolean isWritable(String topic) {
        return world.nanos() >= writableFromNanos.getOrDefault(topic, 0L);
    }

    /// How many commands are still to be dealt with.
    long lag() {
        return groups.values().stream().mapToLong(SimShareGroup::lag).sum();
    }

    /// How many commands were dropped silently, because they were handed out too often.
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

    /// How often the broker has been started: sessions of members end with it.
    int starts() {
        return starts;
    }

    /// Stops the broker. What was appended stays.
    void stop() {
        if (up) {
            world.note("stop", "kafka", starts);
            up = false;
        }
    }

    /// Starts it again.
    void start() {
        if (!up) {
            starts++;
            world.note("start", "kafka", starts);
            up = true;
            groups.values().forEach(SimShareGroup::restart);
            waiting.forEach(Runnable::run);
        }
    }

    /// Stops the broker for a time.
    void restart(Duration down) {
        stop();
        SimTimer _ = world.after(down, this::start);
    }

    /// Lets all clients ask again, as they do once a network is whole.
    void wake() {
        List.copyOf(waiting).forEach(Runnable::run);
    }

    /// Tells when the broker has been started again.
    void atStart(Runnable client) {
        waiting.add(client);
    }

    void forget(Runnable client) {
        waiting.remove(client);
    }

    /// Compacts one of the compacted topics, up to some offset, as the seed wills.
    void compactSomething() {
        List<SimTopic> some = topics.values().stream()
                .filter(topic -> compacted.contains(topic.name()))
                .toList();
        if (!some.isEmpty()) {
            SimTopic topic = some.get(chance.nextInt(some.size()));
            topic.compact(topic.end() == 0 ? 0 : chance.nextLong(topic.end() + 1));
        }
    }

    /// A member was told whether a record is its own, or told nothing.
    void answered(String member, String place, boolean accepted) {
        accepts.merge(member + " " + place, accepted, Boolean::logicalOr);
    }

    /// Whether a member was ever told that a record is its own.
    ///
    /// @param place its topic, partition and offset
    boolean wasAccepted(String member, String place) {
        return accepts.getOrDefault(member + " " + place, false);
    }

    /// Deletes the commands that have been dealt with, as [CommandSweep] does.
    void sweep() {
        groups.forEach((topic, group) -> topic(topic).trim(group.start()));
    }

    /// Compacts all that is ever compacted, to the end: what a fresh reader is left with.
    void compactAll() {
        topics.values().stream()
                .filter(topic -> compacted.contains(topic.name()))
                .forEach(topic -> topic.compact(topic.end()));
    }

    /// How long a message is on its way.
    Duration delay() {
        long most = weather.delay().toNanos();
        return Duration.ofNanos(most <= 0 ? 0 : 1 + chance.nextLong(most));
    }

    /// Whether something of that share happens now.
    boolean happens(double share) {
        return share > 0 && chance.nextDouble() < share;
    }

    /// A number from 0 to below `bound`.
    int any(int bound) {
        return chance.nextInt(bound);
    }
}
