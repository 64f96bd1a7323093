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

    /// In device-beats; less counts as nothing.
    private static final double LITTLE = 1e-3;

    private final double keep; // of what was used, from one beat to the next
    private final Map<String, Double> used = new HashMap<>();

    /// @param windowBeats after which what was used counts a third (1/e)
    public Usage(double windowBeats) {
        keep = Math.exp(-1 / windowBeats);
    }

    /// A beat has passed.
    ///
    /// @param loads of the projects that had something
    public void beat(Map<String, Load> loads) {
        used.replaceAll((_, before) -> before * keep);
        loads.forEach((project, load) -> {
            if (load.devices() > 0) {
                used.merge(project, (double) load.devices(), Double::sum);
            }
        });
        used.values().removeIf(now -> now < LITTLE);
        forgetLeast();
    }

    /// Takes over what another has counted of the same projects, where that is more. What cannot be counted says
    /// nothing.
    ///
    /// @param told in device-beats
    public void adopt(Map<String, Double> told) {
        told.forEach((project, much) -> {
            if (much >= LITTLE && Double.isFinite(much)) {
                used.merge(project, much, Math::max);
            }
        });
        forgetLeast();
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

    /// In device-beats, by project.
    public Map<String, Double> used() {
        return Map.copyOf(used);
    }
}
