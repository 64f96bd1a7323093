package io.trainyard.share;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How long each project had how many devices, what is older counting less and less. Time is beats, of whoever counts:
/// no clock is asked. Not thread-safe.
public final class Usage {
    /// The most projects that are remembered; past it those that used the least are forgotten.
    public static final int MAX_PROJECTS = 2000;

    /// After so many beats all others have been heard.
    private static final int ACQUAINTED = 4;

    /// In device-beats; less counts as nothing.
    private static final double LITTLE = 1e-3;

    private final double keep; // of what was used, from one beat to the next
    private final Map<String, Double> used = new HashMap<>();
    private int beats; // up to ACQUAINTED

    /// @param windowBeats after which what was used counts a third (1/e)
    public Usage(double windowBeats) {
        keep = Math.exp(-1 / windowBeats);
    }

    /// A beat has passed.
    ///
    /// @param loads of the projects that had something
    public void beat(Map<String, Load> loads) {
        beats = Math.min(beats + 1, ACQUAINTED);
        used.replaceAll((_, before) -> before * keep);
        loads.forEach((project, load) -> {
            if (load.devices() > 0) {
                used.merge(project, (double) load.devices(), Double::sum);
            }
        });
        used.values().removeIf(now -> now < LITTLE);
        forgetLeast();
    }

    /// Whether whoever counts has heard all others, and so adopts no more: two that went on would each add its own beat
    /// to the other's.
    public boolean isAcquainted() {
        return beats == ACQUAINTED;
    }

    /// Takes over what another has counted of the same projects, where that is more, until it is acquainted. What
    /// cannot be counted says nothing.
    ///
    /// @param told in device-seconds
    /// @param beatSeconds how long a beat is
    /// @return whether it may have changed
    public boolean adopt(Map<String, Double> told, double beatSeconds) {
        if (isAcquainted()) {
            return false;
        }
        told.forEach((project, seconds) -> {
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
