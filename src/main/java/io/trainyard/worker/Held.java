package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.custody.Request;
import io.trainyard.spec.JobSpec;
import io.trainyard.trace.AttemptTrace;

/// A job that this worker has.
///
/// @param request its command, with the attempt that is this worker's
/// @param folder the job's own
/// @param trace of this attempt
/// @param activity what this attempt does, for all who want to know
record Held(Request request, JobFolder folder, AttemptTrace trace, Activity.AtWork activity) {
    JobSpec job() {
        return request.job();
    }

    String id() {
        return job().id();
    }

    int attempt() {
        return request.attempt();
    }

    /// The command of the next attempt, after this one has made room for an urgent job.
    Request nextPreempted() {
        return next().preempted(request.timesPreempted() + 1);
    }

    /// The command of the next attempt. After a pause, which is a link of that number, it begins the one after:
    /// so what is published late about the pause is older than what is published about that attempt.
    Request next() {
        return request.attempt(request.attempt() + 1);
    }
}
