package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Runs one attempt at a job, on the thread that calls it.
@FunctionalInterface
public interface JobRunner {
    /// @param events takes every event of the attempt, from `claimed` to the one that ends it; it throws
    ///     [EventsLostException] when events can no longer be published
    /// @param stopRequested asked at every step boundary; once true, the attempt saves a checkpoint and ends with
    ///     [Outcome.Released]
    /// @return how it ended; anything thrown is a failed job
    Outcome run(JobSpec job, Consumer<TrainingEvent> events, BooleanSupplier stopRequested);
}
