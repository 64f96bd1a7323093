package io.trainyard.custody;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;

/// What a worker does with a command that it was handed.
public sealed interface Verdict {
    /// Nobody will run it: a dead letter, and nothing else is touched.
    ///
    /// @param reason a sentence for the person who wrote the command
    record Reject(String reason) implements Verdict {}

    /// The job has ended: its end is published again, as it is stored.
    ///
    /// @param number of the link
    record Announce(int number, End end) implements Verdict {}

    /// The job ends here, because somebody cancelled it.
    record Cancel() implements Verdict {}

    /// The job waits until it is resumed, because somebody paused it.
    ///
    /// @param attempt that its command will ask for
    record Park(int attempt) implements Verdict {}

    /// A copy that is late or double: the attempt that it asks for has begun already. Its custody is written
    /// anew, for it may have been lost.
    ///
    /// @param last the newest attempt
    /// @param owner of that
    record Void(int last, Owner owner) implements Verdict {}

    /// Another store has the job's attempts and checkpoints.
    record Elsewhere(String store) implements Verdict {}

    /// The attempt is this worker's, if it is the first to create it.
    record Begin(int attempt) implements Verdict {}
}
