package io.trainyard.training;

import io.trainyard.event.TrainingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Receives the events of an attempt and may ask it to stop. All methods are called on the attempt's thread.
/// They only throw [SupervisorException], which ends the attempt without blaming the job.
public interface Supervisor {
    /// Why an attempt should stop before its job's end.
    enum Halt {
        /// The worker stops: another attempt continues from a checkpoint.
        DRAIN,
        /// A high-priority job needs the device: another attempt continues from a checkpoint.
        PREEMPT,
        /// The job is to be paused.
        PAUSE,
        /// The job is to be cancelled.
        CANCEL
    }

    /// Receives an event, in order.
    ///
    /// @param time when it happened: a repeated outcome keeps its first time
    void publish(TrainingEvent event, Instant time);

    /// Receives an event that happens now.
    default void publish(TrainingEvent event) {
        publish(event, Instant.now());
    }

    /// Asked at every step boundary. If there is a reason, the attempt saves a checkpoint, unless it is
    /// cancelled, and ends.
    Optional<Halt> halt();

    /// Whether the job pauses at a rung of its `asha` if others of its group are better. Outside a fleet it
    /// runs on, because nothing would resume it.
    default boolean heedsRungs() {
        return false;
    }

    /// A result was stored at a rung of the group; others may continue because of it.
    default void rungResultStored(String group) {}

    /// The high-priority job that needs the device, if any.
    default Optional<String> preemptor() {
        return Optional.empty();
    }

    /// The events that the brokers have not acknowledged, as JSON, in order. A checkpoint contains them: if
    /// this worker dies, no other process has them.
    default List<String> unacknowledged() {
        return List.of();
    }

    /// Receives an event of an earlier attempt that the brokers may not have, unchanged and in order.
    ///
    /// @param event as JSON
    default void republish(String event) {}

    /// A checkpoint is being written; an event follows when it is safe.
    default void saves(long step) {}

    /// A checkpoint could not be written: the previous one stays, or the attempt ends.
    default void checkpointFailed() {}

    /// The job's dataset is being downloaded to this machine.
    default void fetched(String dataset, long bytes, long totalBytes) {}

    /// A piece of work begins that cannot be interrupted. It counts as hung if no method is called within the
    /// limit.
    default void alive(Duration limit) {}

    static Supervisor of(Consumer<TrainingEvent> events, BooleanSupplier stopRequested) {
        return new Supervisor() {
            @Override
            public void publish(TrainingEvent event, Instant time) {
                events.accept(event);
            }

            @Override
            public Optional<Halt> halt() {
                return stopRequested.getAsBoolean() ? Optional.of(Halt.DRAIN) : Optional.empty();
            }
        };
    }
}
