package io.trainyard.ownership;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.event.Control.DesiredState;

/// Decides what a worker does with a command. It relies on the store, which is never late.
public final class ClaimRule {
    /// How far beyond the last link a command's attempt may be. The store may have been emptied, but a forged
    /// number must not use up the numbers.
    static final int MAX_AHEAD = 1000;

    private ClaimRule() {}

    /// A command as the share group delivered it.
    ///
    /// @param place its topic, partition and offset
    /// @param delivery the number of deliveries, including this one
    public record Delivery(CommandContent request, String place, int delivery) {}

    public static ClaimDecision of(Delivery command, StoredJob stored, DesiredState desiredState) {
        CommandContent request = command.request();
        if (request.store() != null && !request.store().equals(stored.store())) {
            return new ClaimDecision.OtherStore(request.store());
        }
        if (!stored.sameJob()) {
            return new ClaimDecision.Reject("the id \"%s\" belongs to another job already; use another id"
                    .formatted(request.job().id()));
        }
        if (stored.link() instanceof End end) {
            return new ClaimDecision.RepublishEnd(stored.last(), end);
        }
        if (desiredState == DesiredState.CANCEL) {
            return new ClaimDecision.Cancel();
        }
        if (request.attempt() > (long) stored.last() + MAX_AHEAD) {
            return new ClaimDecision.Reject(
                    "the command requests attempt %d; the job's last was %d, and allowed is up to %d"
                            .formatted(request.attempt(), stored.last(), stored.last() + MAX_AHEAD));
        }
        if (stored.link() instanceof Owner owner
                && request.attempt() <= stored.last()
                && !wasGivenBack(command, owner)) {
            return new ClaimDecision.Void(stored.last(), owner);
        }
        // after a pause the job has no owner, regardless of the command's number
        return desiredState == DesiredState.PAUSE
                ? new ClaimDecision.Pause(stored.deferred(request))
                : new ClaimDecision.BeginAttempt(stored.next(request));
    }

    /// Whether the owner of the newest attempt claimed this very record but did not accept it: the record is
    /// delivered again only because that claim failed.
    private static boolean wasGivenBack(Delivery command, Owner owner) {
        return owner.place().equals(command.place()) && owner.delivery() < command.delivery();
    }
}
