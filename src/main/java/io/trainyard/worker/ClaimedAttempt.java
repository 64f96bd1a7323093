package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.ownership.CommandContent;
import io.trainyard.spec.JobSpec;
import io.trainyard.trace.AttemptTrace;

/// A job that this worker owns.
///
/// @param request its command with this worker's attempt
record ClaimedAttempt(CommandContent request, JobFolder folder, AttemptTrace trace, Activity.RunningAttempt activity) {
    JobSpec job() {
        return request.job();
    }

    String id() {
        return job().id();
    }

    int attempt() {
        return request.attempt();
    }

    /// The command of the next attempt after a preemption.
    CommandContent nextPreempted() {
        return next().preempted(request.timesPreempted() + 1);
    }

    /// The command of the next attempt. A pause is a link with its own number, so the attempt after a pause
    /// skips that number. Late records about the pause are then older than those about the attempt.
    CommandContent next() {
        return request.attempt(request.attempt() + 1);
    }
}
