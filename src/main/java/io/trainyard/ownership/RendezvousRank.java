package io.trainyard.ownership;

import java.util.Set;

/// The order of some workers for a job: the same in every process, different for each job, and stable for the
/// other workers when one joins or leaves (rendezvous hashing).
public final class RendezvousRank {
    private RendezvousRank() {}

    /// The number of workers that come before one.
    ///
    /// @param job or another key
    public static int of(String worker, String job, Set<String> workers) {
        long mine = weight(worker, job);
        return (int) workers.stream().filter(other -> weight(other, job) < mine).count();
    }

    /// The smallest comes first.
    public static long weight(String worker, String job) {
        long hash = 31L * worker.hashCode() + job.hashCode();
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
