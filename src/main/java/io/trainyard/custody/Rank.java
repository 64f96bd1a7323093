package io.trainyard.custody;

import java.util.Set;

/// Which of some workers is first for a job, which second and so on: the same in every process, another order for each
/// job, and with one worker more or less the others stay in theirs (rendezvous hashing).
public final class Rank {
    private Rank() {}

    /// How many of some workers come before one.
    ///
    /// @param job or whatever else is to be seen to
    public static int of(String worker, String job, Set<String> workers) {
        long mine = weight(worker, job);
        return (int) workers.stream().filter(other -> weight(other, job) < mine).count();
    }

    /// The smaller, the earlier.
    public static long weight(String worker, String job) {
        long hash = 31L * worker.hashCode() + job.hashCode();
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
