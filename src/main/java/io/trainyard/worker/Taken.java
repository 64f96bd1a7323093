package io.trainyard.worker;

import org.jspecify.annotations.Nullable;

/// What becomes of a command that was handed out.
sealed interface Taken {
    /// The job is this worker's.
    record Begun(Held held) implements Taken {}

    /// Nothing is to be done any more.
    record Settled() implements Taken {}

    /// The command is given back: this worker cannot take it.
    record Refused(String reason) implements Taken {}

    /// It is not known whether the command is this worker's: so it is not.
    ///
    /// @param job whose command it was; null where it is not known
    record Lost(String reason, @Nullable String job) implements Taken {}
}
