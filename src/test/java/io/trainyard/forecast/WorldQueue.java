package io.trainyard.forecast;

import io.trainyard.custody.Waiting;
import io.trainyard.event.Control.Urgency;
import io.trainyard.share.Load;
import io.trainyard.share.ProjectRules;
import io.trainyard.share.Standings;
import io.trainyard.share.Usage;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The jobs of a simulated fleet that wait, and which of them is next: by the rules of the workers.
final class WorldQueue {
    /// How often workers count who has what.
    static final long BEAT_MILLIS = 10_000;

    private final ProjectRules shares;
    private final double windowBeats;
    private final Usage usage;
    private final List<Deque<Ready>> queues = new ArrayList<>(); // by urgency

    /// A job, as the world knows it and nobody in it.
    record Job(String id, JobSpec spec, Urgency urgency, double pace, int stopAfter, int failAfter) {
        String project() {
            return spec.projectName();
        }
    }

    /// A job that waits.
    ///
    /// @param attempt that is to come
    /// @param done steps of it
    record Ready(Job job, int attempt, long done, int preemptions) {}

    WorldQueue(ProjectRules shares) {
        this.shares = shares;
        windowBeats = (double) shares.window().toMillis() / BEAT_MILLIS;
        usage = new Usage(windowBeats);
        for (int i = 0; i < Urgency.values().length; i++) {
            queues.add(new ArrayDeque<>());
        }
    }

    void add(Ready ready) {
        queues.get(ready.job().urgency().ordinal()).addLast(ready);
    }

    /// A heartbeat has gone by.
    void beat(Map<String, Load> loads) {
        if (!shares.isNone()) {
            usage.beat(loads);
        }
    }

    private Standings standings(Map<String, Load> loads) {
        return Standings.of(shares, windowBeats, usage.used(), loads);
    }

    /// The next of one urgency: that of the project whose turn it is.
    @Nullable
    Ready next(Priority priority, Map<String, Load> loads) {
        Deque<Ready> queue = queues.get(priority.ordinal());
        if (shares.isNone()) {
            return queue.pollFirst();
        }
        String project = standings(loads)
                .next(queue.stream().map(ready -> ready.job().project()).distinct())
                .orElse(null);
        Ready next = queue.stream()
                .filter(ready -> ready.job().project().equals(project))
                .findFirst()
                .orElse(null);
        queue.remove(next);
        return next;
    }

    /// Urgent ones that may run, as workers know them.
    List<Waiting> urgent(Map<String, Load> loads) {
        Standings standings = standings(loads);
        return queues.get(Urgency.HIGH.ordinal()).stream()
                .filter(ready -> standings.hasRoom(ready.job().project()))
                .map(ready -> new Waiting(
                        Topic.COMMANDS_HIGH,
                        0,
                        ready.job().id(),
                        ready.attempt(),
                        Priority.HIGH,
                        "auto",
                        1,
                        ready.job().project(),
                        Set.of()))
                .toList();
    }
}
