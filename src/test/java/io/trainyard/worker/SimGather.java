package io.trainyard.worker;

import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Priority;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/// A fleet of real workers in a simulated world, with jobs each of which needs several of them at once. Where nothing
/// goes wrong nobody waits in vain; and whatever goes wrong, nobody trains two jobs, and all jobs end.
final class SimGather {
    /// Where nothing goes wrong: less than it takes to wait in vain.
    private static final Duration CALM = SimGangs.WITHIN.minusSeconds(15);

    private static final Duration CHAOS = Duration.ofMinutes(4);
    private static final Duration BOUND = Duration.ofMinutes(120);

    private final SimWorld world;
    private final SimKafka kafka;
    private final SimStore store;
    private final SimJudge judge;
    private final SimPerils perils;
    private final SimWorker.Fleet fleet;
    private final SimGangs gangs = new SimGangs();
    private final SplittableRandom chance;
    private final boolean wild;
    private final List<String> jobs = new ArrayList<>();
    private final List<SimWorker> workers = new ArrayList<>();
    private int begun;

    SimGather(long seed, SimSeams seams) {
        world = new SimWorld(seed);
        chance = world.chance("gather");
        wild = seed % 2 == 1;
        var limits = seams.limits(new SimShareGroup.Limits(Duration.ofSeconds(15), 10, 2000));
        kafka = new SimKafka(world, "", limits);
        store = new SimStore(world, "disk");
        judge = new SimJudge(kafka, store);
        perils = new SimPerils(world, () -> {});
        fleet = new SimWorker.Fleet(kafka, perils, seams, limits, Duration.ofSeconds(2));
    }

    /// Lets everything happen.
    ///
    /// @return what is wrong, in sentences
    List<String> run() {
        kafka.weather(new Weather(Duration.ofMillis(50), 0, 0));
        store.slow(Duration.ofMillis(50));
        int size = 2 + chance.nextInt(3);
        for (int i = 0; i < size; i++) {
            startWorker();
        }
        int wide = 2 + chance.nextInt(2);
        for (int i = 1; i <= wide; i++) {
            submit(Kind.WIDE.id(10 * i + 2 + chance.nextInt(size - 1)));
        }
        for (int i = chance.nextInt(3); i > 0; i--) {
            submit(Kind.TINY.id(i));
        }
        if (wild) {
            beWild();
        }
        List<String> wrong = new ArrayList<>();
        if (!world.runUntil(() -> jobs.stream().allMatch(judge::isEndTold), wild ? BOUND : CALM)) {
            jobs.stream()
                    .filter(job -> !judge.isEndTold(job))
                    .forEach(job -> wrong.add("job " + job + " does not end in time"));
        }
        world.run(Duration.ofSeconds(100)); // who stands still goes on
        wrong.addAll(judge.wrong());
        wrong.addAll(gangs.wrong());
        return wrong;
    }

    private void submit(String job) {
        jobs.add(job);
        SimTimer _ = world.after(within(Duration.ofSeconds(20)), () -> {
            var headers = CloudEvents.headers(CloudEvents.COMMAND, "/simulation", Instant.EPOCH);
            kafka.publish(new ProducerRecord<>(
                    Priority.NORMAL.topicOf(SimTraining.spec(job)).name(""),
                    null,
                    (Long) null,
                    job.getBytes(StandardCharsets.UTF_8),
                    SimTraining.command(job).getBytes(StandardCharsets.UTF_8),
                    headers));
        });
    }

    private void beWild() {
        kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.05, 0.01));
        perils.share(List.of(0.0, 0.002, 0.01).get(chance.nextInt(3)));
        for (int i = 0; i < 8; i++) {
            SimTimer _ = world.after(within(CHAOS), this::goWrong);
        }
        world.run(CHAOS);
        perils.share(0);
        kafka.weather(Weather.CALM);
        if (!kafka.isUp()) {
            kafka.start();
        }
    }

    private void goWrong() {
        SimWorker some = workers.get(chance.nextInt(workers.size()));
        switch (chance.nextInt(5)) {
            case 0, 1 -> some.process().crash();
            case 2 -> some.stop();
            case 3 ->
                some.process().freeze(Duration.ofSeconds(List.of(3, 40, 100).get(chance.nextInt(3))));
            default -> kafka.restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 40));
        }
    }

    private Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }

    private void startWorker() {
        SimProcess process = world.process("w" + ++begun);
        SimWorker worker = new SimWorker(process, fleet, store, false).together(gangs);
        workers.add(worker);
        process.atCrash(() -> {
            workers.remove(worker);
            startWorker();
        });
        worker.start();
    }
}
