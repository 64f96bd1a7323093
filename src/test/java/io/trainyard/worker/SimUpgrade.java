package io.trainyard.worker;

import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/// A fleet that is upgraded while it works, in a simulated world. Some of the real workers understand only the
/// first schema version, and some commands use a newer one. Kills, stops and outages happen in between. After
/// the faults end, each job must end, and no command may be dead-lettered that a live worker understands.
final class SimUpgrade extends SimFleet {
    private static final Duration CHAOS = Duration.ofMinutes(2);
    private static final Duration BOUND = Duration.ofMinutes(40);

    /// Longer than a command waits that no worker understands.
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    /// A worker that has run for this time without a freeze is known to all others.
    private static final Duration RECENT = Duration.ofMinutes(1);

    private static final int FAULTS = 8;

    /// Slots of a worker; mostly one.
    private static final List<Integer> SLOTS = List.of(1, 1, 1, 2, 6);

    /// Fewer beats than it takes to run a job.
    private static final int FEW_BEATS = 15;

    enum Course {
        /// From some time on newer workers replace stopped ones; a few old ones may stay to the end.
        UPGRADE,
        /// Newer workers come, leave again, and return at the end.
        ROLLED_BACK,
        /// No newer worker comes.
        NEVER
    }

    private final SplittableRandom sizes;
    private final Course course;
    private final Set<String> plain = new LinkedHashSet<>();
    private final Set<String> newer = new LinkedHashSet<>();
    private final Map<String, Boolean> bad = new LinkedHashMap<>(); // whether the command has to wait first
    private final Map<SimWorker, Long> since = new LinkedHashMap<>();
    private final int beats; // how long a command waits that no worker understands
    private int schemaVersion = JobSchemaVersion.FIRST; // of workers that start

    SimUpgrade(long seed, SimSeams seams) {
        super(seed, "upgrade", seams);
        sizes = world.chance("slots");
        course = Course.values()[(int) Math.min(2, Math.floorMod(seed, 5) / 2)];
        beats = course == Course.UPGRADE || chance.nextBoolean() ? SimWorker.NEWER_BEATS : FEW_BEATS;
        SimTopic letters = kafka.topic(Topic.DEAD_LETTER);
        letters.atAppend(() ->
                receive(letters.read(letters.from(letters.end() - 1, 1).getFirst(), "", Optional.empty())));
    }

    Course course() {
        return course;
    }

    /// Runs the world.
    ///
    /// @return violations, as sentences
    List<String> run() {
        kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.05, 0.01));
        perils.share(List.of(0.0, 0.002, 0.01).get(chance.nextInt(3)));
        publishAll();
        int size = 1 + chance.nextInt(4);
        for (int i = 0; i < size; i++) {
            startWorker();
        }
        for (int i = 0; i < FAULTS; i++) {
            SimTimer _ = world.after(within(CHAOS), this::goWrong);
        }
        if (course != Course.NEVER) {
            SimTimer _ = world.after(within(CHAOS), this::upgrade);
        }
        world.run(CHAOS);
        endFaults();
        switch (course) {
            case UPGRADE -> await("an upgrade", this::allOver);
            case NEVER -> {
                await("jobs that all workers support", () -> plain.stream().allMatch(this::isOver));
                await(
                        "dead letters of commands that no worker supports",
                        () -> newer.stream().allMatch(this::isRefused));
            }
            case ROLLED_BACK -> {
                world.run(CHAOS); // without faults, and with all workers
                schemaVersion = JobSchemaVersion.FIRST;
                List.copyOf(workers).stream()
                        .filter(worker -> worker.schemaVersion() > schemaVersion)
                        .forEach(SimWorker::stop);
                await("jobs that all workers support", () -> plain.stream().allMatch(this::isOver));
                world.run(PATIENCE);
                upgrade();
                await("jobs that had started", this::allOver);
            }
        }
        world.run(PATIENCE);
        bad.keySet().stream()
                .filter(command -> !judge.isRefused(command))
                .forEach(command -> wrong.add("not dead-lettered: " + command));
        wrong.addAll(judge.wrong());
        return wrong;
    }

    private void await(String what, BooleanSupplier over) {
        boolean came = world.runUntil(world.everySecond(over), BOUND);
        if (!came) {
            wrong.add("timed out: " + what + "; not over are "
                    + plain.stream().filter(job -> !isOver(job)).toList()
                    + newer.stream()
                            .filter(job -> !isOver(job) && !isRefused(job))
                            .toList());
        }
    }

    private void publishAll() {
        for (int i = 1; i <= 2 + chance.nextInt(3); i++) {
            plain.add(Kind.JOB.id(i));
        }
        for (int i = 1; i <= 4 + chance.nextInt(8); i++) {
            newer.add(Kind.NEWER.id(i));
        }
        plain.forEach(job -> submit(job, chance.nextBoolean() ? 1 : 2));
        newer.forEach(job -> submit(job, 2));
        spoil("{\"id\": \"typo-1\", \"learningrate\": 1}", 0, false);
        spoil("{\"id\": \"typo-2\", \"learningrate\": 1}", 1, false);
        spoil("{\"id\": \"later-1\", \"unheardOf\": 1}", 9, true);
        spoil("{\"id\": 7}", 9, false);
    }

    private void submit(String job, int schemaVersion) {
        int copies = 1 + chance.nextInt(2);
        for (int i = 0; i < copies; i++) {
            Duration time = course == Course.ROLLED_BACK ? CHAOS.multipliedBy(2) : CHAOS;
            SimTimer _ = world.after(within(time), () -> publish(job, SimTraining.command(job), schemaVersion));
        }
    }

    private void spoil(String command, int schemaVersion, boolean waits) {
        bad.put(command, waits);
        SimTimer _ =
                world.after(within(CHAOS), () -> publish("spoilt-" + schemaVersion + waits, command, schemaVersion));
    }

    /// @param schemaVersion the schema version; 0 to leave it out
    private void publish(String key, String body, int schemaVersion) {
        Headers headers = CloudEvents.headers(CloudEvents.COMMAND, "/simulation", Instant.EPOCH);
        if (schemaVersion > 0) {
            CommandHeaders.addSchemaVersion(headers, schemaVersion);
        }
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        byte[] value = body.getBytes(StandardCharsets.UTF_8);
        kafka.publish(new ProducerRecord<>(Topic.COMMANDS_NORMAL.name(""), null, (Long) null, name, value, headers));
    }

    private void goWrong() {
        if (workers.isEmpty()) {
            return;
        }
        SimWorker some = some();
        switch (chance.nextInt(8)) {
            case 0, 1 -> some.process().crash();
            case 2, 3 -> some.stop();
            case 4 -> some.process().freeze(Duration.ofSeconds(List.of(3, 40).get(chance.nextInt(2))));
            case 5 -> kafka.restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 40));
            case 6 -> kafka.compactSomething();
            default -> kafka.sweep();
        }
    }

    /// From now on new workers are newer. One starts at once; others replace stopped workers.
    private void upgrade() {
        schemaVersion = JobSchemaVersion.OURS.newest();
        startWorker();
        for (SimWorker worker : List.copyOf(workers)) {
            if (worker.schemaVersion() < schemaVersion && chance.nextBoolean()) {
                SimTimer _ = world.after(within(CHAOS), worker::stop);
            }
        }
    }

    @Override
    SimWorker worker(SimProcess process) {
        SimWorker worker = super.worker(process)
                .deferring(new DeferredByVersion.Rules(schemaVersion, beats))
                .slots(SLOTS.get(sizes.nextInt(SLOTS.size())));
        since.put(worker, world.nanos());
        return worker;
    }

    /// As by a Deployment.
    @Override
    Duration absence() {
        return within(Duration.ofSeconds(20));
    }

    private boolean allOver() {
        return plain.stream().allMatch(this::isOver) && newer.stream().allMatch(job -> isOver(job) || isRefused(job));
    }

    private boolean isRefused(String job) {
        return judge.isRefused(SimTraining.command(job));
    }

    /// A command was dead-lettered.
    private void receive(ConsumerRecord<String, byte[]> letter) {
        String command = new String(letter.value(), StandardCharsets.UTF_8);
        String why = new String(letter.headers().lastHeader(DeadLetter.REASON).value(), StandardCharsets.UTF_8);
        String name = JobJson.id(letter.value()).orElse(command) + ", because " + why;
        boolean mayBe = bad.containsKey(command);
        if (plain.stream().map(SimTraining::command).anyMatch(command::equals)) {
            wrong.add("dead-lettered, although all workers support it: " + name);
        } else if (!mayBe && course == Course.UPGRADE) {
            wrong.add("dead-lettered, although newer workers started: " + name);
        } else if (!mayBe && workers.stream().anyMatch(this::isAliveAndNewer)) {
            wrong.add("dead-lettered, although a live worker supports it: " + name);
        } else if (bad.getOrDefault(command, false) && world.nanos() < beats * 2_000_000_000L) {
            wrong.add("dead-lettered before a newer worker had time to start: " + name);
        }
    }

    private boolean isAliveAndNewer(SimWorker worker) {
        long from = world.nanos() - RECENT.toNanos();
        return worker.schemaVersion() > JobSchemaVersion.FIRST
                && since.getOrDefault(worker, Long.MAX_VALUE) < from
                && worker.process().frozenNanos(from, world.nanos()) == 0;
    }
}
