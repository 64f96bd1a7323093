package io.trainyard.dashboard;

import io.trainyard.alert.AlertFormat;
import io.trainyard.alert.Rule;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A dashboard's alert settings, with defaults except for the tested ones.
record AlertsWanted(
        AlertFormat format, Optional<String> url, Optional<String> secret, Optional<List<String>> thresholds)
        implements DashboardConfig.Alerts {
    static final AlertsWanted NONE = new AlertsWanted(Optional.empty(), Optional.empty(), Optional.empty());

    AlertsWanted(Optional<String> url, Optional<String> secret, Optional<List<String>> thresholds) {
        this(AlertFormat.STANDARD, url, secret, thresholds);
    }

    @Override
    public Set<Rule> rules() {
        return EnumSet.allOf(Rule.class);
    }

    @Override
    public double stallFactor() {
        return 10;
    }

    @Override
    public Duration stallAfter() {
        return Duration.ofMinutes(1);
    }

    @Override
    public double spikeScore() {
        return 20;
    }

    @Override
    public int spikeWindow() {
        return 200;
    }

    @Override
    public int maxPending() {
        return 5;
    }

    @Override
    public Duration retryFor() {
        return Duration.ofHours(1);
    }
}
