package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.share.Hold;
import io.trainyard.share.Load;
import io.trainyard.share.ProjectRules;
import io.trainyard.share.Turns;
import io.trainyard.spec.JobSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The projects of a fleet, as its jobs tell of them: what each has used, and has now. They are known by numbers, in
/// alphabetical order. Where nothing is said of how they share the fleet, all jobs are of one.
final class Projects {
    private final ProjectRules rules;
    private final List<String> names;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Double> used = new HashMap<>(); // in device-seconds
    private final Map<String, Load> loads = new HashMap<>();

    Projects(Fleet fleet) {
        rules = fleet.rules();
        names = rules.isNone()
                ? List.of(JobSpec.DEFAULT_PROJECT)
                : fleet.jobs().stream().map(Projects::name).distinct().sorted().toList();
        for (String name : names) {
            numbers.put(name, numbers.size());
        }
        if (!rules.isNone()) {
            fleet.jobs().forEach(job -> count(job, fleet.nowMillis()));
        }
    }

    private static String name(JobFacts job) {
        String project = job.work() == null ? null : job.work().project();
        return project == null ? JobSpec.DEFAULT_PROJECT : project;
    }

    /// Of earlier attempts nothing is known here.
    private void count(JobFacts job, long nowMillis) {
        boolean runs = job.status() == Status.RUNNING;
        if (runs) {
            loads.merge(name(job), new Load(1, devices(job)), Load::plus);
        }
        if (job.claimMillis() > 0) {
            long endMillis = runs ? nowMillis : job.endMillis() > 0 ? job.endMillis() : job.heardMillis();
            double seconds = windowSeconds() * (fading(nowMillis - endMillis) - fading(nowMillis - job.claimMillis()));
            used.merge(name(job), devices(job) * Math.max(0, seconds), Double::sum);
        }
    }

    /// How much of what was used so long ago counts.
    private double fading(long millis) {
        return Math.exp(-Math.max(0, millis) / 1e3 / windowSeconds());
    }

    private double windowSeconds() {
        return rules.window().toMillis() / 1e3;
    }

    static int devices(JobFacts job) {
        return job.work() == null ? 1 : job.work().devices();
    }

    int count() {
        return names.size();
    }

    /// The project of a job.
    int of(JobFacts job) {
        return rules.isNone() ? 0 : numbers.getOrDefault(name(job), 0);
    }

    String name(int project) {
        return names.get(project);
    }

    /// How many jobs of a project may run.
    int most(int project) {
        return Objects.requireNonNullElse(rules.of(name(project)).running(), Integer.MAX_VALUE);
    }

    /// Whose turn it is from now on, in seconds.
    Turns turns() {
        return new Turns(rules, names, windowSeconds(), used, loads);
    }

    /// That a project has as many running as may, or will have.
    WaitReason atQuota(int project) {
        String name = name(project);
        int most = Objects.requireNonNullElse(rules.of(name).running(), Integer.MAX_VALUE);
        return WaitReason.atQuota(
                new Hold.Quota(name, loads.getOrDefault(name, Load.NONE).jobs(), most));
    }
}
