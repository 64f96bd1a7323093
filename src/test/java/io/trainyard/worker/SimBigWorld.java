package io.trainyard.worker;

import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// A fleet for two days: one job that takes all of them, first, and many short ones behind it, while workers die,
/// stand still and are stopped, brokers restart, and commands come twice.
final class SimBigWorld {
    private static final Duration LONG = Duration.ofHours(48);
    private static final Duration HOUR = Duration.ofHours(1);

    /// How long after the last command the short jobs may take.
    private static final Duration BOUND = Duration.ofHours(4);

    private final SimWorld world;
    private final SimKafka kafka;
    private final SimStore store;
    private final SimJudge judge;
    private final SimPerils perils;
    private final SplittableRandom chance;
    private final SimPeople people;
    private final SimCrew crew;
    private final Set<String> open = new HashSet<>(); // short jobs whose end is not told
    private final int jobs;
    private final int size;

    /// @param size workers
    /// @param jobs short ones
    /// @param beat from one heartbeat to the next: all workers read those of all
    SimBigWorld(long seed, int size, int jobs, Duration beat) {
        this.size = size;
        this.jobs = jobs;
        world = new SimWorld(seed);
        world.allow(Long.MAX_VALUE);
        chance = world.chance("big world");
        var limits = new SimShareGroup.Limits(Duration.ofSeconds(15), 10, 2000);
        kafka = new SimKafka(world, "", limits);
        store = new SimStore(world, "disk");
        judge = new SimJudge(kafka, store);
        perils = new SimPerils(world, () -> {});
        people = new SimPeople(kafka);
        var fleet = new SimWorker.Fleet(kafka, perils, SimSeams.NONE, limits, beat);
        crew = new SimCrew(fleet, store, chance, Duration.ofMinutes(1));
    }

    SimWorld world() {
        return world;
    }

    /// Lets two days pass.
    ///
    /// @return what is wrong, in sentences
    List<String> run() {
        kafka.weather(new Weather(Duration.ofMillis(50), 0.01, 0.001));
        perils.share(0.0002);
        String first = Kind.DAYS.id(0);
        command(first);
        Duration commands = LONG.minus(BOUND);
        for (int i = 1; i <= jobs; i++) {
            String job = Kind.TINY.id(i);
            open.add(job);
            int copies = chance.nextInt(50) == 0 ? 2 : 1;
            for (int k = 0; k < copies; k++) {
                SimTimer _ = world.after(within(commands), () -> command(job));
            }
        }
        for (int i = 0; i < size; i++) {
            crew.start();
        }
        hourly();
        world.run(commands);
        boolean ended = world.runUntil(this::isOver, BOUND);
        List<String> wrong = new ArrayList<>();
        if (!ended) {
            wrong.add("%d short jobs do not end, such as %s"
                    .formatted(open.size(), open.stream().limit(3).toList()));
        }
        if (judge.isEndTold(first)) {
            wrong.add("the long job has ended before the others: they were not tried beside it");
        }
        perils.share(0);
        kafka.weather(Weather.CALM);
        if (!world.runUntil(() -> judge.isEndTold(first), LONG.multipliedBy(2))) {
            wrong.add("the long job does not end");
        }
        world.run(Duration.ofMinutes(10));
        wrong.addAll(judge.wrong());
        return wrong;
    }

    private Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }

    private boolean isOver() {
        open.removeIf(judge::isEndTold);
        return open.isEmpty();
    }

    private void command(String job) {
        people.submit(job, SimTraining.command(job));
    }

    /// In each hour one worker in ten crashes, one in ten stands still, one in ten is stopped; every sixth hour the
    /// brokers restart.
    private void hourly() {
        for (int i = 0; i < Math.max(1, size / 10); i++) {
            SimTimer _ = world.after(within(HOUR), () -> crew.some().process().crash());
            SimTimer _ = world.after(within(HOUR), () -> crew.some().process().freeze(within(Duration.ofMinutes(10))));
            SimTimer _ = world.after(within(HOUR), () -> crew.some().stop());
        }
        if (chance.nextInt(6) == 0) {
            SimTimer _ = world.after(within(HOUR), () -> kafka.restart(within(Duration.ofMinutes(2))));
        }
        kafka.compactSomething();
        kafka.compactSomething();
        kafka.sweep();
        isOver();
        if (world.nanos() < LONG.toNanos()) {
            SimTimer _ = world.after(HOUR, this::hourly);
        }
    }
}
