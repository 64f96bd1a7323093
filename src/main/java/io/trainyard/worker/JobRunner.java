package io.trainyard.worker;

import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;

/// Runs one attempt at a job, on the thread that calls it.
@FunctionalInterface
public interface JobRunner {
    /// @param attempt its number, which is this worker's
    /// @param supervisor takes every event of the attempt, from `claimed` to the one that ends it; it throws
    ///     [EventsLostException] when events can no longer be published
    /// @return how it ended
    Outcome run(JobSpec job, int attempt, Supervisor supervisor);
}
