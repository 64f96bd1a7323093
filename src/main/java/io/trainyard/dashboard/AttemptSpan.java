package io.trainyard.dashboard;

import org.jspecify.annotations.Nullable;

/// An attempt of a job as a span of time.
///
/// @param model the device's model name; null if unknown
/// @param peakFlops peak floating-point operations per second of its devices in the job's precision; null if
///     unknown
/// @param firstStep its first step; 0 until it has begun
/// @param startMillis when its worker claimed the job, Unix time in ms
/// @param endMillis when it ended, or the time of its last record if its end is unknown; null while it runs
/// @param end how it ended: `released`, `paused`, `finished`, `failed`, `cancelled`; null if it runs or its
///     worker was lost
public record AttemptSpan(
        int attempt,
        @Nullable String worker,
        @Nullable String device,
        @Nullable String model,
        @Nullable Double peakFlops,
        long firstStep,
        long startMillis,
        @Nullable Long endMillis,
        @Nullable String end) {}
