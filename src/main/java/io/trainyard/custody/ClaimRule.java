package io.trainyard.custody;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.event.Control.Wish;

/// The rule by which a command is taken, or not. The store decides: it alone cannot be late.
public final class ClaimRule {
    /// How far beyond the last link a command may ask. A store may have been emptied; but a forged number must
    /// not use the numbers up.
    static final int MAX_AHEAD = 1000;

    private ClaimRule() {}

    /// A command, as the share group hands it out.
    ///
    /// @param place its topic, partition and offset
    /// @param delivery how often it has been delivered, this time included
    public record Delivery(Request request, String place, int delivery) {}

    /// @param stored what the store says of the job
    /// @param wish what somebody wants of it
    public static Verdict of(Delivery command, StoredJob stored, Wish wish) {
        Request request = command.request();
        if (request.store() != null && !request.store().equals(stored.store())) {
            return new Verdict.Elsewhere(request.store());
        }
        if (!stored.sameJob()) {
            return new Verdict.Reject("the id \"%s\" belongs to another job already; give this one an id of its own"
                    .formatted(request.job().id()));
        }
        if (stored.link() instanceof End end) {
            return new Verdict.Announce(stored.last(), end);
        }
        if (wish == Wish.CANCEL) {
            return new Verdict.Cancel();
        }
        if (request.attempt() > (long) stored.last() + MAX_AHEAD) {
            return new Verdict.Reject("the command asks for attempt %d; the job's last was %d, and allowed is up to %d"
                    .formatted(request.attempt(), stored.last(), stored.last() + MAX_AHEAD));
        }
        if (stored.link() instanceof Owner owner
                && request.attempt() <= stored.last()
                && !wasGivenBack(command, owner)) {
            return new Verdict.Void(stored.last(), owner);
        }
        // after a pause nobody owns the job, whatever number the command has
        return wish == Wish.PAUSE ? new Verdict.Park(stored.parked(request)) : new Verdict.Begin(stored.next(request));
    }

    /// Whether whoever began the newest attempt had this very record and did not accept it: it is delivered once
    /// more only because that claim came to nothing.
    private static boolean wasGivenBack(Delivery command, Owner owner) {
        return owner.place().equals(command.place()) && owner.delivery() < command.delivery();
    }
}
