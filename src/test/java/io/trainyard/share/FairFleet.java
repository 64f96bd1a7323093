package io.trainyard.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A fleet that does nothing but take turns: whichever worker is free begins a job of the project whose turn it is. Its
/// time is beats.
final class FairFleet {
    private record Job(String project, double end) {}

    /// Jobs of a project.
    ///
    /// @param shortest of them, in beats; the longest is three times that
    /// @param from the beat from which on it always has jobs that wait
    /// @param until the beat at which it has no more
    record Work(double shortest, long from, long until) {
        static Work always(double shortest) {
            return new Work(shortest, 0, Long.MAX_VALUE);
        }
    }

    private final ProjectRules rules;
    private final double windowBeats;
    private final int workers;
    private final Map<String, Work> work;
    private final SplittableRandom chance;
    private final Usage usage;
    private final PriorityQueue<Job> running = new PriorityQueue<>(Comparator.comparingDouble(Job::end));
    private final Map<String, Double> had = new TreeMap<>();
    private final Map<String, Integer> most = new HashMap<>();
    private long beats;
    private boolean forgets;

    /// Lets nobody count what was used.
    FairFleet forgetting() {
        forgets = true;
        return this;
    }

    FairFleet(ProjectRules rules, double windowBeats, int workers, Map<String, Work> work, long seed) {
        this.rules = rules;
        this.windowBeats = windowBeats;
        this.workers = workers;
        this.work = new LinkedHashMap<>(work);
        this.chance = new SplittableRandom(seed);
        this.usage = new Usage(windowBeats);
    }

    /// Lets so many beats pass.
    void run(long more) {
        for (long end = beats + more; beats < end; beats++) {
            while (!running.isEmpty() && running.peek().end() <= beats) {
                running.remove();
            }
            while (running.size() < workers && begin()) {}
            Map<String, Load> loads = loads();
            loads.forEach((project, load) -> {
                had.merge(project, (double) load.devices(), Double::sum);
                most.merge(project, load.jobs(), Math::max);
            });
            if (!forgets) {
                usage.beat(loads);
            }
        }
    }

    private boolean begin() {
        Standings standings = Standings.of(rules, windowBeats, usage.used(), loads());
        List<String> waiting = new ArrayList<>();
        work.forEach((project, its) -> {
            if (its.from() <= beats && beats < its.until()) {
                waiting.add(project);
            }
        });
        var next = standings.next(waiting.stream());
        next.ifPresent(project -> {
            double shortest = Objects.requireNonNull(work.get(project)).shortest();
            running.add(new Job(project, beats + shortest * (1 + 2 * chance.nextDouble())));
        });
        return next.isPresent();
    }

    private Map<String, Load> loads() {
        Map<String, Load> loads = new HashMap<>();
        running.forEach(job -> loads.merge(job.project(), new Load(1, 1), Load::plus));
        return loads;
    }

    /// The part of all that was used which each project had, since the last call.
    Map<String, Double> shares() {
        double all = had.values().stream().mapToDouble(Double::doubleValue).sum();
        Map<String, Double> shares = new TreeMap<>();
        had.forEach((project, its) -> shares.put(project, its / all));
        had.clear();
        return shares;
    }

    /// Jobs of a project that run now.
    int running(String project) {
        return loads().getOrDefault(project, Load.NONE).jobs();
    }

    /// The most jobs of a project that ran at a time.
    int mostAtATime(String project) {
        return most.getOrDefault(project, 0);
    }
}
