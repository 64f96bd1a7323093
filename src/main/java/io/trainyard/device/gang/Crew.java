package io.trainyard.device.gang;

/// Who trains a job together, before they have come.
///
/// @param job its id
/// @param attempt the leader's
/// @param count of parts, the leader's included
/// @param leader the worker that has the job
/// @param secret whoever does not know it is no part
public record Crew(String job, int attempt, int count, String leader, byte[] secret) {
    /// The most parts a job may have.
    public static final int MAX_PARTS = 16;

    public Crew {
        if (count < 2 || count > MAX_PARTS) {
            throw new IllegalArgumentException("%d parts; allowed is 2 to %d".formatted(count, MAX_PARTS));
        }
    }

    /// Whether both are for the same attempt at the same job.
    boolean isSame(Crew other) {
        return job.equals(other.job) && attempt == other.attempt && count == other.count && leader.equals(other.leader);
    }
}
