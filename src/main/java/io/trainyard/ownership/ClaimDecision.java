package io.trainyard.ownership;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;

/// What a worker does with a delivered command.
public sealed interface ClaimDecision {
    /// It is dead-lettered; nothing else changes.
    record Reject(String reason) implements ClaimDecision {}

    /// The job has ended: its stored end is published again.
    record RepublishEnd(int number, End end) implements ClaimDecision {}

    /// The job was cancelled and ends here.
    record Cancel() implements ClaimDecision {}

    /// The job was paused and waits until it is resumed.
    record Pause(int attempt) implements ClaimDecision {}

    /// A late or duplicate command: the attempt has begun already. The ownership is published again because it
    /// may be lost.
    record Void(int last, Owner owner) implements ClaimDecision {}

    record OtherStore(String store) implements ClaimDecision {}

    /// This worker owns the attempt if it is the first to create it.
    record BeginAttempt(int attempt) implements ClaimDecision {}
}
