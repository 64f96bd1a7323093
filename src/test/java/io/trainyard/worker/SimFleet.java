package io.trainyard.worker;

import io.trainyard.worker.SimKafka.Weather;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// A fleet of real workers in a simulated world. A worker that ends is replaced after a while.
abstract class SimFleet {
    final SimWorld world;
    final SplittableRandom chance;
    final SimKafka kafka;
    final SimPeople people;
    final SimStore store;
    final SimJudge judge;
    final SimPerils perils;
    final SimWorker.Fleet fleet;
    final List<SimWorker> workers = new ArrayList<>();
    final List<String> wrong = new ArrayList<>(); // violations, as sentences
    int started; // workers

    /// @param name of its random choices
    SimFleet(long seed, String name, SimSeams seams) {
        SimWorld world = new SimWorld(seed);
        this(world, world.chance(name), seams, 10, 2000);
    }

    /// @param seams the layer between the workers and the world
    /// @param deliveries of a command before the brokers drop it
    /// @param window of a share group
    SimFleet(SimWorld world, SplittableRandom chance, SimSeams seams, int deliveries, int window) {
        this.world = world;
        this.chance = chance;
        var limits = seams.limits(new SimShareGroup.Limits(Duration.ofSeconds(15), deliveries, window));
        kafka = new SimKafka(world, "", limits);
        people = new SimPeople(kafka);
        store = new SimStore(world, "disk");
        judge = new SimJudge(kafka, store);
        perils = new SimPerils(world, this::cutPower);
        fleet = new SimWorker.Fleet(kafka, perils, seams, limits, Duration.ofSeconds(2));
    }

    /// Called when an object arrives in a store after its writer has died.
    void cutPower() {}

    void startWorker() {
        SimWorker worker = worker(world.process("w" + ++started));
        workers.add(worker);
        worker.process().atCrash(() -> {
            workers.remove(worker);
            SimTimer _ = world.after(absence(), this::startWorker);
        });
        worker.start();
    }

    SimWorker worker(SimProcess process) {
        return new SimWorker(process, fleet, store, false);
    }

    /// The time until an ended worker is replaced.
    Duration absence() {
        return within(Duration.ofSeconds(30));
    }

    /// A random worker; a new one if all have ended.
    SimWorker some() {
        if (workers.isEmpty()) {
            startWorker();
        }
        return workers.get(chance.nextInt(workers.size()));
    }

    Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }

    /// Ends the faults of processes, brokers and the network.
    void endFaults() {
        perils.share(0);
        kafka.weather(Weather.CALM);
        if (!kafka.isUp()) {
            kafka.start();
        }
    }

    /// The job has an outcome, and the outcome is published.
    boolean isOver(String job) {
        return judge.isEndPublished(job) && store.end(job) != null;
    }
}
