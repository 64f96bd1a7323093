package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/// Workers of a simulated world. A worker that dies is replaced after a while.
final class SimCrew {
    private final SimWorker.Fleet fleet;
    private final SimStore store;
    private final SplittableRandom chance;
    private final Duration absence;
    private final UnaryOperator<SimWorker> manner;
    private final List<SimWorker> workers = new ArrayList<>();
    private int started;

    /// @param absence the longest time until a worker is replaced
    SimCrew(SimWorker.Fleet fleet, SimStore store, SplittableRandom chance, Duration absence) {
        this(fleet, store, chance, absence, UnaryOperator.identity());
    }

    /// @param absence the longest time until a worker is replaced
    /// @param manner how each worker differs from the default
    SimCrew(
            SimWorker.Fleet fleet,
            SimStore store,
            SplittableRandom chance,
            Duration absence,
            UnaryOperator<SimWorker> manner) {
        this.fleet = fleet;
        this.store = store;
        this.chance = chance;
        this.absence = absence;
        this.manner = manner;
    }

    void start() {
        SimWorld world = fleet.kafka().world();
        SimProcess process = world.process("w" + ++started);
        SimWorker worker = manner.apply(new SimWorker(process, fleet, store, false));
        workers.add(worker);
        process.atCrash(() -> {
            workers.remove(worker);
            SimTimer _ = world.after(within(absence), this::start);
        });
        worker.start();
    }

    /// A random worker; a new one if all have died.
    SimWorker some() {
        if (workers.isEmpty()) {
            start();
        }
        return workers.get(chance.nextInt(workers.size()));
    }

    private Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }
}
