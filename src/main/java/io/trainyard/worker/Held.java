package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.custody.Request;
import io.trainyard.spec.JobSpec;

/// A job that this worker has.
///
/// @param request its command, with the attempt that is this worker's
/// @param folder the job's own
record Held(Request request, JobFolder folder) {
    JobSpec job() {
        return request.job();
    }

    String id() {
        return job().id();
    }

    int attempt() {
        return request.attempt();
    }

    /// The command of the next attempt.
    Request next() {
        return request.attempt(request.attempt() + 1);
    }
}
