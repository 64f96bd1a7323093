package io.trainyard.alert;

import java.util.List;
import java.util.Set;

/// The settings of the alert rules.
///
/// @param stallFactor a job is stalled if it publishes nothing for this multiple of its longest interval so far
/// @param stallAfterMillis the minimum time until a job is stalled
/// @param spikeScore the minimum robust z-score of a spike; see [LossSpikes]
/// @param spikeWindow the number of preceding losses with which a loss is compared
/// @param lostAfterMillis a worker without a heartbeat for this time is lost
public record AlertSettings(
        Set<Rule> rules,
        double stallFactor,
        long stallAfterMillis,
        double spikeScore,
        int spikeWindow,
        long lostAfterMillis,
        List<Threshold> thresholds) {
    private static final int MIN_WINDOW = 20;
    private static final int MAX_WINDOW = 10_000;

    public AlertSettings {
        rules = Set.copyOf(rules);
        thresholds = List.copyOf(thresholds);
        require(stallFactor >= 1, "the stall factor is %s; allowed is 1 or more", stallFactor);
        require(spikeScore > 0, "the spike score is %s; allowed is more than 0", spikeScore);
        require(
                spikeWindow >= MIN_WINDOW && spikeWindow <= MAX_WINDOW,
                "the spike window is %s; allowed is 20 to 10000 losses",
                spikeWindow);
    }

    private static void require(boolean right, String otherwise, Object value) {
        if (!right) {
            throw new IllegalArgumentException(otherwise.formatted(value));
        }
    }
}
