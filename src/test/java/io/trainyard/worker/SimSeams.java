package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.worker.SimTraining.Habit;
import java.time.Duration;
import java.util.Set;

/// The interfaces between a worker and a simulated world, at which mistakes can be injected on purpose.
interface SimSeams {
    SimSeams NONE = new SimSeams() {};

    default Outbox outbox(Outbox real, SimProcess process) {
        return real;
    }

    /// @param store the store without delays
    default CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
        return real;
    }

    /// The log that the ownership monitor reads.
    default FleetLog log(FleetLog real, SimProcess process) {
        return real;
    }

    default ClaimGate gate(ClaimGate real) {
        return real;
    }

    /// The time limit for answers to its producers.
    default Duration requestTimeout(Duration real) {
        return real;
    }

    default ClaimPriorities order(ClaimPriorities real) {
        return real;
    }

    default CheckpointStore store(CheckpointStore real) {
        return real;
    }

    /// How stale lists of the store may be.
    default Duration listLag() {
        return Duration.ZERO;
    }

    /// Deviations in the way it trains.
    default Set<Habit> habits() {
        return Set.of();
    }

    /// The assumed number of deliveries after which the brokers drop a command.
    default int deliveryLimit(int real) {
        return real;
    }

    /// The same worlds without the mistake: a mistake counts as found only if the run without it succeeds.
    default SimSeams control() {
        return NONE;
    }

    default SimShareGroup.Limits limits(SimShareGroup.Limits real) {
        return real;
    }

    /// Runs once at a random time.
    default void happen(SimKafka kafka) {}
}
