package io.trainyard.worker;

import io.trainyard.worker.SimKafka.Weather;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/// Injects all kinds of faults for a while: requests are lost and refused, workers are killed, stopped and frozen,
/// brokers restart, and acknowledged commands are deleted.
final class SimStorm {
    private static final Duration TIME = Duration.ofMinutes(4);
    private static final int TROUBLES = 8;

    private final SimWorker.Fleet fleet;
    private final SimCrew crew;
    private final SplittableRandom chance;

    SimStorm(SimWorker.Fleet fleet, SimCrew crew, SplittableRandom chance) {
        this.fleet = fleet;
        this.crew = crew;
        this.chance = chance;
    }

    void rage() {
        SimKafka kafka = fleet.kafka();
        kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.05, 0.01));
        fleet.perils().share(List.of(0.0, 0.002, 0.01).get(chance.nextInt(3)));
        for (int i = 0; i < TROUBLES; i++) {
            Duration when = Duration.ofNanos((long) (TIME.toNanos() * chance.nextDouble()));
            SimTimer _ = kafka.world().after(when, this::goWrong);
        }
        kafka.world().run(TIME);
        fleet.perils().share(0);
        kafka.weather(Weather.CALM);
        if (!kafka.isUp()) {
            kafka.start();
        }
    }

    private void goWrong() {
        switch (chance.nextInt(6)) {
            case 0, 1 -> crew.some().process().crash();
            case 2 -> crew.some().stop();
            case 3 ->
                crew.some()
                        .process()
                        .freeze(Duration.ofSeconds(List.of(3, 40, 100).get(chance.nextInt(3))));
            case 4 -> fleet.kafka().restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 40));
            default -> fleet.kafka().sweep();
        }
    }
}
