package io.trainyard.share;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The device time of each project, with exponential decay. Time is counted in the caller's beats, without a
/// clock. Not thread-safe.
public final class DecayedUsage {
    /// The most projects that are kept; beyond it those with the least use are dropped.
    public static final int MAX_PROJECTS = 2000;

    /// After this number of beats all other workers have been received.
    private static final int COMPLETE_BEATS = 4;

    /// In device-beats; less counts as nothing.
    private static final double LITTLE = 1e-3;

    private final double keep; // the part of past use that remains after one beat
    private final Map<String, Double> used = new HashMap<>();
    private int beats; // up to ACQUAINTED

    /// @param windowBeats the beats after which past use counts a third (1/e)
    public DecayedUsage(double windowBeats) {
        keep = Math.exp(-1 / windowBeats);
    }

    /// A beat has passed.
    ///
    /// @param loads of the projects with any use
    public void beat(Map<String, ProjectLoad> loads) {
        beats = Math.min(beats + 1, COMPLETE_BEATS);
        used.replaceAll((_, before) -> before * keep);
        loads.forEach((project, load) -> {
            if (load.devices() > 0) {
                used.merge(project, (double) load.devices(), Double::sum);
            }
        });
        used.values().removeIf(now -> now < LITTLE);
        forgetLeast();
    }

    /// Whether all other workers have been received, so no more counts are adopted: two workers that kept
    /// adopting would add each other's beats.
    public boolean isComplete() {
        return beats == COMPLETE_BEATS;
    }

    /// Adopts another worker's larger counts of the same projects, until [#isComplete]. Invalid numbers are
    /// ignored.
    ///
    /// @param received in device-seconds
    /// @return whether anything may have changed
    public boolean adopt(Map<String, Double> received, double beatSeconds) {
        if (isComplete()) {
            return false;
        }
        received.forEach((project, seconds) -> {
            double much = seconds / beatSeconds;
            if (much >= LITTLE && Double.isFinite(much)) {
                used.merge(project, much, Math::max);
            }
        });
        forgetLeast();
        return true;
    }

    private void forgetLeast() {
        if (used.size() > MAX_PROJECTS) {
            List<String> least = used.keySet().stream()
                    .sorted(Comparator.comparingDouble((String project) -> used.getOrDefault(project, 0.0))
                            .thenComparing(Comparator.naturalOrder()))
                    .limit(used.size() - MAX_PROJECTS)
                    .toList();
            least.forEach(used::remove);
        }
    }

    public Map<String, Double> used() {
        return Map.copyOf(used);
    }
}
