package io.trainyard.worker;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/// The newest jobs with a control request, up to a limit.
final class ControlBounds {
    static final int MAX_JOBS = 200_000;

    private final int most;
    private final Set<String> jobs = new LinkedHashSet<>(); // in the order of their newest requests

    ControlBounds(int most) {
        this.most = most;
    }

    /// Adds a job with a control request.
    ///
    /// @return the job whose request must be forgotten to stay within the limit; empty if none
    Optional<String> add(String job) {
        jobs.remove(job);
        jobs.add(job);
        if (jobs.size() <= most) {
            return Optional.empty();
        }
        String oldest = jobs.iterator().next();
        jobs.remove(oldest);
        return Optional.of(oldest);
    }

    void remove(String job) {
        jobs.remove(job);
    }
}
