package io.trainyard.dashboard;

import org.jspecify.annotations.Nullable;

/// An attempt at a job, as a span of time.
///
/// @param model what its device is, as its maker calls it; null where that is not told
/// @param peakFlops operations a second that its devices can do at most in the job's precision; null where that is not
///     known
/// @param firstStep that it begins with; 0 until it has begun
/// @param startMillis when its worker claimed the job, since 1970
/// @param endMillis when it ended, or, where nobody has told that, its last news; null while it runs
/// @param end how it ended: `released`, `paused`, `finished`, `failed`, `cancelled`; null: it runs, or its worker was
/// lost
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
