package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.custody.ClaimOrder;
import io.trainyard.worker.SimTraining.Habit;
import java.time.Duration;
import java.util.Set;

/// Where something can be put between a worker and the rest of a simulated world: a mistake, on purpose.
interface SimSeams {
    /// Workers as they are.
    SimSeams NONE = new SimSeams() {};

    /// What the worker sends by.
    default Outbox outbox(Outbox real, SimProcess process) {
        return real;
    }

    /// What hands it commands.
    ///
    /// @param store as it is, without a wait
    default CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
        return real;
    }

    /// What its keeper reads.
    default FleetLog log(FleetLog real, SimProcess process) {
        return real;
    }

    /// What says whether it may claim.
    default ClaimGate gate(ClaimGate real) {
        return real;
    }

    /// How long its producers wait for an answer.
    default Duration requestTimeout(Duration real) {
        return real;
    }

    /// In which order it looks for jobs.
    default ClaimOrder order(ClaimOrder real) {
        return real;
    }

    /// Its checkpoint store.
    default CheckpointStore store(CheckpointStore real) {
        return real;
    }

    /// How old lists of the store may be.
    default Duration listLag() {
        return Duration.ZERO;
    }

    /// How it trains otherwise than it should.
    default Set<Habit> habits() {
        return Set.of();
    }

    /// How often it believes that a command is delivered before the brokers drop it.
    default int deliveryLimit(int real) {
        return real;
    }

    /// Workers as they are, in worlds as these: a mistake counts as found where they go on without one.
    default SimSeams control() {
        return NONE;
    }

    /// How its commands are locked.
    default SimShareGroup.Limits limits(SimShareGroup.Limits real) {
        return real;
    }

    /// What happens in the world besides, once.
    default void happen(SimKafka kafka) {}
}
