package io.trainyard.metrics;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/// How long attempts take from their claim to their first losses, seen from their events. Not thread-safe.
public final class FirstSteps {
    /// Attempts that were claimed and have told no losses; some never do. Of more the eldest are forgotten.
    private static final int MAX_CLAIMS = 10_000;

    private final Map<Attempt, Long> claims = new LinkedHashMap<>();

    private record Attempt(String job, int number) {}

    /// Takes in an event, in the order in which they happened.
    ///
    /// @param millis when it happened, since 1970
    /// @return the seconds, with the first losses of an attempt whose claim was seen
    public OptionalDouble see(TrainingEvent event, long millis) {
        Attempt attempt = new Attempt(event.job(), event.attempt());
        if (event instanceof Claimed) {
            claims.putIfAbsent(attempt, millis);
            if (claims.size() > MAX_CLAIMS) {
                claims.remove(claims.keySet().iterator().next());
            }
        } else if (event instanceof StepLosses) {
            Long claimed = claims.remove(attempt);
            if (claimed != null && millis >= claimed) {
                return OptionalDouble.of((millis - claimed) / 1e3);
            }
        }
        return OptionalDouble.empty();
    }
}
