package io.trainyard.worker;

import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;

/// Runs one attempt at a job on the calling thread.
@FunctionalInterface
public interface JobRunner {
    /// @param supervisor receives every event of the attempt, from `claimed` to the last; it throws
    ///     [EventsLostException] if events can no longer be published
    Outcome run(JobSpec job, int attempt, Supervisor supervisor);
}
