package io.trainyard.custody;

import io.trainyard.checkpoint.Holder;

/// What a worker does with a command that it was handed.
public sealed interface Verdict {
    /// Nobody will run it: a dead letter, and nothing else is touched.
    ///
    /// @param reason a sentence for the person who wrote the command
    record Reject(String reason) implements Verdict {}

    /// The job has ended: its outcome is told again, as it was kept.
    record Announce(byte[] outcome) implements Verdict {}

    /// The job ends here, because somebody cancelled it.
    record Cancel() implements Verdict {}

    /// The job rests, because somebody paused it.
    record Park() implements Verdict {}

    /// A copy that is late or double: the attempt that it asks for has begun already. Its custody is written anew,
    /// for it may have been lost.
    ///
    /// @param last the newest attempt
    /// @param holder whom that belongs to
    record Void(int last, Holder holder) implements Verdict {}

    /// Another store has the job's attempts and checkpoints.
    record Elsewhere(String store) implements Verdict {}

    /// The attempt is this worker's, if it is the first to create it.
    record Begin(int attempt) implements Verdict {}
}
