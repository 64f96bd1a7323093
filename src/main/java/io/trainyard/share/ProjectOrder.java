package io.trainyard.share;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The projects' current order.
///
/// The next project is the one with the least use relative to its weight. Running jobs count as if each of
/// their devices had been used for a while longer; otherwise all workers that become free at the same moment
/// would go to one project. Ties are broken alphabetically.
///
/// @param used in device-beats, see [DecayedUsage]
/// @param loads the current use; a project without any may be missing
/// @param ahead the beats for which a device in use counts as used
public record ProjectOrder(ProjectRules rules, Map<String, Double> used, Map<String, ProjectLoad> loads, double ahead) {
    static final double AHEAD = 1.0 / 16;

    public static final ProjectOrder NONE = new ProjectOrder(ProjectRules.NONE, Map.of(), Map.of(), 0);

    public ProjectOrder {
        used = Map.copyOf(used);
        loads = Map.copyOf(loads);
    }

    public static ProjectOrder of(
            ProjectRules rules, double windowBeats, Map<String, Double> used, Map<String, ProjectLoad> loads) {
        return new ProjectOrder(rules, used, loads, ahead(windowBeats));
    }

    /// How long a device in use counts as used: a part of the window, at least one beat.
    static double ahead(double window) {
        return Math.max(1, AHEAD * window);
    }

    public int running(String project) {
        return load(project).jobs();
    }

    private ProjectLoad load(String project) {
        return loads.getOrDefault(project, ProjectLoad.NONE);
    }

    public boolean hasCapacity(String project) {
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

    /// The order of the projects' turns, regardless of quotas.
    public Comparator<String> order() {
        return Comparator.comparingDouble(this::burden).thenComparing(Comparator.naturalOrder());
    }

    /// Why a job of a project waits although a worker is free; empty if projects are not the reason.
    ///
    /// @param waiting the projects with waiting jobs of the same priority
    public Optional<ProjectWaitReason> hold(String project, Stream<String> waiting) {
        if (!hasCapacity(project)) {
            return Optional.of(new ProjectWaitReason.Quota(project, running(project), rules.mostRunning(project)));
        }
        return next(Stream.concat(waiting, Stream.of(project)))
                .filter(next -> !next.equals(project))
                .map(ProjectWaitReason.Turn::new);
    }

    /// The next of the projects with waiting jobs; empty if quotas allow none.
    public Optional<String> next(Stream<String> waiting) {
        return waiting.filter(this::hasCapacity).min(order());
    }
}
