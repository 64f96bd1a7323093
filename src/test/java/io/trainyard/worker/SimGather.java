package io.trainyard.worker;

import io.trainyard.topics.Priority;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// A fleet of real workers in a simulated world, with jobs each of which needs several of them at once. Where nothing
/// goes wrong nobody waits in vain; and whatever goes wrong, nobody trains two jobs, and all jobs end.
final class SimGather {
    /// Where nothing goes wrong: less than it takes to wait in vain.
    private static final Duration CALM = SimGangs.WITHIN.minusSeconds(15);

    private static final Duration BOUND = Duration.ofMinutes(120);

    private final SimWorld world;
    private final SimKafka kafka;
    private final SimStore store;
    private final SimJudge judge;
    private final SimCrew crew;
    private final SimWorker.Fleet fleet;
    private final SimGangs gangs = new SimGangs();
    private final SplittableRandom chance;
    private final boolean wild;
    private final List<String> jobs = new ArrayList<>();

    SimGather(long seed, SimSeams seams) {
        world = new SimWorld(seed);
        chance = world.chance("gather");
        wild = seed % 2 == 1;
        var limits = seams.limits(new SimShareGroup.Limits(Duration.ofSeconds(15), 10, 2000));
        kafka = new SimKafka(world, "", limits);
        store = new SimStore(world, "disk");
        judge = new SimJudge(kafka, store);
        SimPerils perils = new SimPerils(world, () -> {});
        fleet = new SimWorker.Fleet(kafka, perils, seams, limits, Duration.ofSeconds(2));
        crew = new SimCrew(fleet, store, chance, Duration.ZERO, worker -> worker.together(gangs));
    }

    /// Lets everything happen.
    ///
    /// @return what is wrong, in sentences
    List<String> run() {
        kafka.weather(new Weather(Duration.ofMillis(50), 0, 0));
        store.slow(Duration.ofMillis(50));
        int size = 2 + chance.nextInt(3);
        for (int i = 0; i < size; i++) {
            crew.start();
        }
        int wide = 2 + chance.nextInt(2);
        for (int i = 1; i <= wide; i++) {
            submit(Kind.WIDE.id(10 * i + 2 + chance.nextInt(size - 1)));
        }
        for (int i = chance.nextInt(3); i > 0; i--) {
            submit(Kind.TINY.id(i));
        }
        if (wild) {
            new SimStorm(fleet, crew, chance).rage();
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
        SimPeople people = new SimPeople(kafka);
        SimTimer _ = world.after(within(Duration.ofSeconds(20)), () -> people.submit(job, Priority.NORMAL));
    }

    private Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }
}
