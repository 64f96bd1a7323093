package io.trainyard.metrics;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/// How long attempts take from their claim to their first losses, seen from their events. Not thread-safe.
public final class FirstSteps {
    /// The maximum number of claimed attempts without losses; the oldest are dropped.
    private static final int MAX_CLAIMS = 10_000;

    private final Map<Attempt, Long> claims = new LinkedHashMap<>();

    private record Attempt(String job, int number) {}

    /// Processes an event; events must be in order.
    ///
    /// @param millis time since 1970
    /// @return the seconds from claim to first losses, if both were seen
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
