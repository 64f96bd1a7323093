package io.trainyard.device.gang;

/// Who trains a job together, before they have come.
///
/// @param job its id
/// @param attempt the leader's
/// @param count of parts, the leader's included
/// @param leader the worker that has the job
/// @param secret what only workers of the fleet can know: whoever does not know it is no part
public record Crew(String job, int attempt, int count, String leader, byte[] secret) {
    /// Bytes of a secret.
    public static final int SECRET_BYTES = 32;

    /// The most parts a job may have.
    public static final int MAX_PARTS = 16;
}
