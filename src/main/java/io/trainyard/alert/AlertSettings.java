package io.trainyard.alert;

import java.util.List;
import java.util.Set;

/// What is alerted.
///
/// @param stallFactor a job is stalled when it tells nothing for so many times its longest silence so far
/// @param stallAfterMillis and for so long at least
/// @param spikeScore a loss is a spike from this robust z-score on; see [LossSpikes]
/// @param spikeWindow so many losses before it are what it is measured against
/// @param lostAfterMillis a worker is lost when it is silent for so long
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
