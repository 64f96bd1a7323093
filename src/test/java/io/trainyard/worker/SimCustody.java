package io.trainyard.worker;

import io.trainyard.custody.Keeper;
import io.trainyard.event.Control;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.EventJson;
import io.trainyard.event.SampleEvents;
import io.trainyard.history.HistoryChecker;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import io.trainyard.worker.SimKafka.Weather;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/// A fleet of real workers in a simulated world: claim loop, keeper, heartbeat and job folder are those of the
/// product, only what trains is a stub. First everything goes wrong that a seed can think of, then all is well,
/// and each job has to come to its end.
final class SimCustody {
    /// How long things go wrong.
    private static final Duration CHAOS = Duration.ofMinutes(4);

    /// How long it may take, after that, until each job has ended: the longest that a copy may have to wait for its
    /// next
    /// one after so short a time, and the time to run all jobs one after another.
    static final Duration BOUND = Duration.ofMinutes(40);

    /// What is on its way when the last job has ended arrives within it.
    private static final Duration LAST_WORDS = Duration.ofMinutes(1);

    private static final Set<String> CPU = Set.of("cpu");

    private final SimWorld world;
    private final SimKafka kafka;
    private final SimStore store;
    private final SplittableRandom chance;
    private final List<String> jobs = new ArrayList<>();
    private final List<SimProcess> workers = new ArrayList<>();
    private boolean chaos = true;
    private int started;

    SimCustody(long seed) {
        world = new SimWorld(seed);
        kafka = new SimKafka(world, "");
        store = new SimStore(world, "disk");
        chance = world.chance("custody");
    }

    SimWorld world() {
        return world;
    }

    /// Lets everything happen.
    ///
    /// @return what is wrong, in sentences
    List<String> run() {
        kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.1, 0.01));
        int count = 1 + chance.nextInt(6);
        for (int i = 0; i < count; i++) {
            submit("job-" + i);
        }
        int size = 1 + chance.nextInt(4);
        for (int i = 0; i < size; i++) {
            startWorker();
        }
        for (int i = 0; i < 12; i++) {
            SimTimer _ = world.after(within(CHAOS), this::goWrong);
        }
        world.run(CHAOS);
        calm();
        boolean ended = world.runUntil(this::isOver, BOUND);
        world.run(LAST_WORDS);
        List<String> wrong = new ArrayList<>();
        if (!ended) {
            jobs.stream().filter(job -> !isOver(job)).forEach(job -> wrong.add("job " + job + " does not end"));
        }
        wrong.addAll(history());
        return wrong;
    }

    private Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }

    private void submit(String job) {
        jobs.add(job);
        byte[] body = JobJson.write(SampleEvents.spec(job)).getBytes(StandardCharsets.UTF_8);
        int copies = chance.nextInt(4) == 0 ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            SimTimer _ = world.after(
                    within(CHAOS.dividedBy(2)), () -> publish(Topic.COMMANDS_NORMAL, job, body, CloudEvents.COMMAND));
        }
    }

    private void publish(Topic topic, String key, byte[] body, String type) {
        Headers headers = CloudEvents.headers(type, "/simulation", Instant.EPOCH);
        kafka.publish(new ProducerRecord<>(
                topic.name(""), null, (Long) null, key.getBytes(StandardCharsets.UTF_8), body, headers));
    }

    private void goWrong() {
        SimProcess some = workers.get(chance.nextInt(workers.size()));
        switch (chance.nextInt(10)) {
            case 0, 1, 2 -> crash(some);
            case 3, 4 -> some.freeze(Duration.ofSeconds(List.of(3, 40, 100).get(chance.nextInt(3))));
            case 5 -> kafka.restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 90));
            case 6 -> kafka.compactSomething();
            case 7 -> store.slow(Duration.ofMillis(chance.nextInt(2000)));
            case 8 -> wish(jobs.get(chance.nextInt(jobs.size())), Wish.PAUSE);
            default -> wish(jobs.get(chance.nextInt(jobs.size())), chance.nextInt(4) == 0 ? Wish.CANCEL : Wish.RUN);
        }
    }

    private void crash(SimProcess worker) {
        if (!worker.isCrashed()) {
            worker.crash();
            workers.remove(worker);
            SimTimer _ = world.after(within(Duration.ofSeconds(30)), this::startWorker);
        }
        if (workers.isEmpty()) {
            startWorker();
        }
    }

    private void wish(String job, Wish wish) {
        Control control = new Control(job, wish, null, Instant.EPOCH);
        publish(Topic.CONTROL, job, EventJson.write(control), CloudEvents.CONTROL);
    }

    /// From now on nothing goes wrong, and nothing is paused.
    private void calm() {
        chaos = false;
        kafka.weather(Weather.CALM);
        store.slow(Duration.ofMillis(5));
        if (!kafka.isUp()) {
            kafka.start();
        }
        for (String job : jobs) {
            if (wished(job) == Wish.PAUSE) {
                wish(job, Wish.RUN);
            }
        }
    }

    private Wish wished(String job) {
        return newest(Topic.CONTROL, job)
                .map(body -> {
                    try {
                        return EventJson.readControl(body).wish();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .orElse(Wish.RUN);
    }

    /// The newest body under a key; empty where there is none, or where its end is marked.
    private Optional<byte[]> newest(Topic topic, String key) {
        SimTopic log = kafka.topic(topic);
        byte[] newest = null;
        for (SimTopic.Entry entry : log.from(log.start(), Integer.MAX_VALUE)) {
            newest = key.equals(entry.key()) ? entry.value() : newest;
        }
        return Optional.ofNullable(newest);
    }

    private void startWorker() {
        String id = "w" + ++started;
        SimProcess process = world.process(id);
        workers.add(process);
        if (chaos && chance.nextInt(4) == 0) {
            process.slow(Duration.ofMillis(200));
        }
        var _ = process.start("main", () -> {
            CommandRoutes routes = new CommandRoutes("", CPU);
            WorkerRules rules = new WorkerRules(id, routes, Duration.ofSeconds(25), Duration.ofSeconds(5), 3, 10);
            EventPublisher publisher = new EventPublisher(new SimOutbox(kafka, process), "", id);
            Surroundings around = new Surroundings(rules, process, store.of(process), publisher, new FleetView(id));
            Activity activity = new Activity();
            KeeperLoop keeper =
                    new KeeperLoop(around, () -> new SimFleetLog(kafka, process), new Keeper.Rules(8, 1000));
            List<List<String>> topics = routes.sources().stream()
                    .map(equals -> equals.stream().map(ShareQueue.Source::topic).toList())
                    .toList();
            ClaimLoop claims = new ClaimLoop(
                    around,
                    () -> new SimQueue(kafka, process, topics),
                    new SimTraining(process, store.of(process)),
                    activity);
            Heartbeat heartbeat = new Heartbeat(
                    process,
                    publisher,
                    activity,
                    new Heartbeat.Self(id, "cpu", around.store().identity(), process.now()));
            keeper.start();
            claims.start(keeper.ready());
            heartbeat.start(Duration.ofSeconds(2));
        });
    }

    private boolean isOver() {
        return jobs.stream().allMatch(this::isOver);
    }

    /// It has an outcome, that is told, and nobody looks after it any more.
    private boolean isOver(String job) {
        return store.object(job + "/outcome.json") != null
                && newest(Topic.CUSTODY, job).isEmpty()
                && kafka.topic(Topic.JOBS).from(0, Integer.MAX_VALUE).stream()
                        .map(entry -> String.valueOf(entry.key()))
                        .anyMatch(key ->
                                key.startsWith(job + "/") && (key.endsWith("/finished") || key.endsWith("/cancelled")));
    }

    private List<String> history() {
        HistoryChecker checker = new HistoryChecker(Duration.ofMinutes(3), true);
        for (Topic topic : Topic.NEWS) {
            SimTopic log = kafka.topic(topic);
            for (SimTopic.Entry entry : log.from(log.start(), Integer.MAX_VALUE)) {
                if (entry.value() != null && entry.key() != null) {
                    try {
                        new TopicRecord(topic, log.read(entry, entry.key(), Optional.empty()))
                                .news()
                                .ifPresent(checker::take);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
        }
        return checker.report().wrong();
    }
}
