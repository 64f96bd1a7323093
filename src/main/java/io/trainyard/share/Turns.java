package io.trainyard.share;

import java.util.List;
import java.util.Map;

/// Whose turn it is, from one job to the next: where [Standings] are those of a moment, these go on, as jobs begin and
/// end and time goes by. For who looks ahead. Time is in any unit, the same in all of it. Not thread-safe.
public final class Turns {
    private final double window;
    private final double ahead;
    private final double[] weights; // by project, as the others
    private final int[] most; // jobs that may run
    private final double[] used;
    private final int[] jobs; // that run
    private final int[] devices; // of these
    private double now;

    /// @param projects in alphabetical order; from here on they are known by their numbers
    /// @param window of the rules
    /// @param used in devices times units of time, see [Usage]
    /// @param loads what each has now; a project that has nothing may be left out
    public Turns(
            ProjectRules rules,
            List<String> projects,
            double window,
            Map<String, Double> used,
            Map<String, Load> loads) {
        this.window = window;
        this.ahead = Standings.ahead(window);
        int count = projects.size();
        weights = new double[count];
        most = new int[count];
        this.used = new double[count];
        jobs = new int[count];
        devices = new int[count];
        for (int i = 0; i < count; i++) {
            String project = projects.get(i);
            ProjectRule rule = rules.of(project);
            weights[i] = rule.weight();
            most[i] = rule.running() == null ? Integer.MAX_VALUE : rule.running();
            this.used[i] = used.getOrDefault(project, 0.0);
            Load load = loads.getOrDefault(project, Load.NONE);
            jobs[i] = load.jobs();
            devices[i] = load.devices();
        }
    }

    /// The same, going on by themselves.
    public Turns(Turns other) {
        window = other.window;
        ahead = other.ahead;
        weights = other.weights;
        most = other.most;
        used = other.used.clone();
        jobs = other.jobs.clone();
        devices = other.devices.clone();
        now = other.now;
    }

    /// Time goes by, until so long after the beginning.
    public void pass(double until) {
        if (until > now) {
            double kept = Math.exp((now - until) / window);
            for (int i = 0; i < used.length; i++) {
                used[i] = used[i] * kept + devices[i] * window * (1 - kept);
            }
            now = until;
        }
    }

    /// A job of a project begins.
    public void begin(int project, int itsDevices) {
        jobs[project]++;
        devices[project] += itsDevices;
    }

    /// One of them ends.
    public void end(int project, int itsDevices) {
        jobs[project]--;
        devices[project] -= itsDevices;
    }

    /// Whether one more job of a project may run.
    public boolean hasRoom(int project) {
        return jobs[project] < most[project];
    }

    /// Whose turn it is of those that have jobs which wait; less than 0 where none may run one more.
    ///
    /// @param waiting which have, by project
    public int next(boolean[] waiting) {
        int next = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i] && hasRoom(i)) {
                double burden = Standings.burdenOf(used[i], devices[i], ahead, weights[i]);
                if (next < 0 || burden < least) {
                    next = i;
                    least = burden;
                }
            }
        }
        return next;
    }
}
