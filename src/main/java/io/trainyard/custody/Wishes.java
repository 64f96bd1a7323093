package io.trainyard.custody;

import io.trainyard.event.Control;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.Control.Wish;
import io.trainyard.topics.Priority;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What somebody wants of jobs: the fold of the topic `control`. Not thread-safe.
final class Wishes {
    private final Map<String, Wish> wishes = new HashMap<>();
    private final Map<String, Urgency> urgencies = new HashMap<>();
    private final Set<String> runOn = new HashSet<>(); // jobs that rest at no rung, as somebody wants

    /// Takes in a record.
    void add(String job, Control control) {
        wishes.put(job, control.wish());
        if (control.isRunOn()) {
            runOn.add(job);
        } else {
            runOn.remove(job);
        }
        if (control.priority() != null) {
            urgencies.put(job, control.priority());
        }
    }

    /// Nobody wants anything of the job any more.
    void remove(String job) {
        wishes.remove(job);
        urgencies.remove(job);
        runOn.remove(job);
    }

    Wish of(String job) {
        return wishes.getOrDefault(job, Wish.RUN);
    }

    /// Whether somebody wants that a job rests at no rung.
    boolean isRunOn(String job) {
        return runOn.contains(job);
    }

    /// A job's command, as urgent as the job is wished to be.
    Request urgent(Request request) {
        Urgency urgency = urgencies.get(request.job().id());
        return urgency == null ? request : request.at(Priority.of(urgency));
    }
}
