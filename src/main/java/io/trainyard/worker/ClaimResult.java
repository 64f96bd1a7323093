package io.trainyard.worker;

import org.jspecify.annotations.Nullable;

/// The disposition of a delivered command.
sealed interface ClaimResult {
    record Begun(ClaimedAttempt claimed) implements ClaimResult {}

    /// The command is done.
    record Done() implements ClaimResult {}

    /// This worker cannot take the command and released it.
    record Refused(String reason) implements ClaimResult {}

    /// The ownership is uncertain and therefore counts as lost.
    record Lost(String reason, @Nullable String job) implements ClaimResult {}
}
