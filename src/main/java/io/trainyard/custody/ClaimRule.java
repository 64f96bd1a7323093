package io.trainyard.custody;

import io.trainyard.checkpoint.Holder;
import io.trainyard.event.Control.Wish;

/// The rule by which a command is taken, or not. The store decides: it alone cannot be late.
public final class ClaimRule {
    /// How far beyond the newest attempt a command may ask. Attempts may be left out, as where a store was emptied;
    /// but whoever forges a number must not use them up.
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
        if (stored.outcome() != null) {
            return new Verdict.Announce(stored.outcome());
        }
        if (wish == Wish.CANCEL) {
            return new Verdict.Cancel();
        }
        if (request.attempt() > (long) stored.last() + MAX_AHEAD) {
            return new Verdict.Reject("the command asks for attempt %d; the job's last was %d, and allowed is up to %d"
                    .formatted(request.attempt(), stored.last(), stored.last() + MAX_AHEAD));
        }
        Holder holder = stored.holder();
        if (holder != null && request.attempt() <= stored.last() && !wasGivenBack(command, holder)) {
            return new Verdict.Void(stored.last(), holder);
        }
        if (wish == Wish.PAUSE) {
            return new Verdict.Park();
        }
        return new Verdict.Begin(Math.max(request.attempt(), stored.last() + 1));
    }

    /// Whether whoever began the newest attempt had this very record and did not accept it: it is delivered once
    /// more only because that claim came to nothing.
    private static boolean wasGivenBack(Delivery command, Holder holder) {
        return holder.place().equals(command.place()) && holder.delivery() < command.delivery();
    }
}
