package io.trainyard.training;

import io.trainyard.event.TrainingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Whom an attempt answers to: it hears what happens, and may ask for an end. All is called on the attempt's
/// thread. It throws [SupervisorException] alone, which ends the attempt, and is no fault of the job.
public interface Supervisor {
    /// Why an attempt should stop before its job's end.
    enum Halt {
        /// Its worker stops: another attempt goes on from a checkpoint.
        DRAIN,
        /// An urgent job needs the device: another attempt goes on from a checkpoint.
        PREEMPT,
        /// Somebody asked that the job rests.
        PAUSE,
        /// Somebody asked that the job ends.
        CANCEL
    }

    /// Takes what happened, in order.
    ///
    /// @param time when: an outcome that is told again has its first time
    void tell(TrainingEvent event, Instant time);

    /// Takes what happens now.
    default void tell(TrainingEvent event) {
        tell(event, Instant.now());
    }

    /// Asked at every step boundary; once there is one, the attempt saves a checkpoint, unless it is cancelled, and
    /// ends.
    Optional<Halt> halt();

    /// Whether the job rests at a rung of its `asha` where others of its group are better. Alone it runs on: nobody
    /// would have it go on later.
    default boolean heedsRungs() {
        return false;
    }

    /// A result is kept at a rung of the group, by which others may go on.
    default void keptResult(String group) {}

    /// The urgent job that needs the device; empty: there is none.
    default Optional<String> preemptor() {
        return Optional.empty();
    }

    /// What was told and is not yet with the brokers, as JSON, in order. A checkpoint keeps it: were this worker to
    /// die, nobody else could tell it.
    default List<String> unacknowledged() {
        return List.of();
    }

    /// Takes what an attempt before this one told and may not have got to the brokers, as it was, in order.
    ///
    /// @param event as JSON
    default void tellAgain(String event) {}

    /// A checkpoint begins to be written; that it is safe is told as an event.
    default void saves(long step) {}

    /// A checkpoint could not be written: the one before stays, or the attempt ends.
    default void checkpointFailed() {}

    /// The job's data set is being brought to this machine.
    default void fetched(String dataset, long bytes, long ofBytes) {}

    /// A piece of work begins that cannot be interrupted. The next call of any method is due by then, or it hangs.
    default void alive(Duration limit) {}

    static Supervisor of(Consumer<TrainingEvent> events, BooleanSupplier stopRequested) {
        return new Supervisor() {
            @Override
            public void tell(TrainingEvent event, Instant time) {
                events.accept(event);
            }

            @Override
            public Optional<Halt> halt() {
                return stopRequested.getAsBoolean() ? Optional.of(Halt.DRAIN) : Optional.empty();
            }
        };
    }
}
