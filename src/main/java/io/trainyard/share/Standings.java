package io.trainyard.share;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Where the projects of a fleet stand at a moment, and so whose turn it is.
///
/// Next is the project that has used least for its weight. Jobs that run count beside what they have used so far as if
/// each of their devices had been used for a while: else all workers that become free at one moment would go to one
/// project. Of equals the one that comes first in the alphabet is next.
///
/// @param used in device-beats, see [Usage]
/// @param loads what each has now; a project that has nothing may be left out
/// @param ahead for how many beats a device that is in use counts as used
public record Standings(ProjectRules rules, Map<String, Double> used, Map<String, Load> loads, double ahead) {
    /// The part of the window for which a device counts that is in use.
    static final double AHEAD = 1.0 / 16;

    /// No project has any rule: whoever comes first is served first.
    public static final Standings NONE = new Standings(ProjectRules.NONE, Map.of(), Map.of(), 0);

    public Standings {
        used = Map.copyOf(used);
        loads = Map.copyOf(loads);
    }

    public static Standings of(
            ProjectRules rules, double windowBeats, Map<String, Double> used, Map<String, Load> loads) {
        return new Standings(rules, used, loads, ahead(windowBeats));
    }

    /// For how long a device that is in use counts as used: a part of the window, and a beat at least.
    static double ahead(double window) {
        return Math.max(1, AHEAD * window);
    }

    public int running(String project) {
        return load(project).jobs();
    }

    private Load load(String project) {
        return loads.getOrDefault(project, Load.NONE);
    }

    public boolean hasRoom(String project) {
        return running(project) < rules.mostRunning(project);
    }

    double burden(String project) {
        return burdenOf(
                used.getOrDefault(project, 0.0),
                load(project).devices(),
                ahead,
                rules.of(project).weight());
    }

    static double burdenOf(double used, int devices, double ahead, double weight) {
        return (used + devices * ahead) / weight;
    }

    /// The order in which projects have their turns, whatever their quotas.
    public Comparator<String> order() {
        return Comparator.comparingDouble(this::burden).thenComparing(Comparator.naturalOrder());
    }

    /// Why a job of a project waits though a worker is free; empty: for no such reason.
    ///
    /// @param waiting the projects that have jobs which wait and are as urgent as this one
    public Optional<Hold> hold(String project, Stream<String> waiting) {
        if (!hasRoom(project)) {
            return Optional.of(new Hold.Quota(project, running(project), rules.mostRunning(project)));
        }
        return next(Stream.concat(waiting, Stream.of(project)))
                .filter(next -> !next.equals(project))
                .map(Hold.Turn::new);
    }

    /// Whose turn it is of those that have jobs which wait; empty where none may run one more.
    public Optional<String> next(Stream<String> waiting) {
        return waiting.filter(this::hasRoom).min(order());
    }
}
