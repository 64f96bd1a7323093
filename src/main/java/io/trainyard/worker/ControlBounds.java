package io.trainyard.worker;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/// The jobs with a control record that a worker knows: so many at most, the newest ones.
final class ControlBounds {
    static final int MAX_JOBS = 200_000;

    private final int most;
    private final Set<String> jobs = new LinkedHashSet<>(); // in the order of their newest records

    ControlBounds(int most) {
        this.most = most;
    }

    /// Takes in that a job has a control record.
    ///
    /// @return the job whose record is to be forgotten for it; empty: there is room
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
