package io.trainyard.worker;

import io.trainyard.ownership.DeferredByProject;
import io.trainyard.ownership.DeferredByProject.DeferredEntry;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.share.DecayedUsage;
import io.trainyard.share.ProjectOrder;
import io.trainyard.share.ProjectRules;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// What a worker knows of its fleet's projects: it counts their use in its own heartbeats and keeps the
/// deferred commands. For the thread that reads the fleet's topics.
final class ProjectShares {
    /// @param windowBeats the window in this worker's heartbeats
    record Rules(ProjectRules projects, double windowBeats) {
        static final Rules NONE = new Rules(ProjectRules.NONE, 1);

        boolean isNone() {
            return projects.isNone();
        }

        double beatSeconds() {
            return projects.window().toMillis() / 1000.0 / windowBeats;
        }
    }

    /// The number of commands of each line to choose from: as many workers may choose at the same moment.
    private static final int FIRST = 16;

    /// The number of projects in a heartbeat, which must stay small.
    private static final int MAX_REPORTED = 50;

    private final OwnershipMonitor monitor;
    private final WorkerRules rules;
    private final DecayedUsage usage;
    private final DeferredByProject<DeferredRecord> deferrals = new DeferredByProject<>();
    private @Nullable Map<String, Double> reported;
    private boolean changed = true;
    private ProjectSharesView view = ProjectSharesView.NONE;

    ProjectShares(OwnershipMonitor monitor, WorkerRules rules) {
        this.monitor = monitor;
        this.rules = rules;
        this.usage = new DecayedUsage(rules.shares().windowBeats());
    }

    /// This worker's own heartbeat was read back.
    void beat() {
        if (!rules.shares().isNone()) {
            usage.beat(monitor.loads());
            reported = usage.isComplete() ? most() : null;
        }
        changed = true;
    }

    /// Another worker's counts were received.
    void received(Map<String, Double> seconds) {
        if (!rules.shares().isNone()) {
            changed |= usage.adopt(seconds, rules.shares().beatSeconds());
        }
    }

    /// This worker's counts in device-seconds, for new workers; null if it is new itself or does not count.
    @Nullable
    Map<String, Double> reported() {
        return reported;
    }

    private Map<String, Double> most() {
        Map<String, Double> most = new LinkedHashMap<>();
        usage.used().entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MAX_REPORTED)
                .forEach(one -> most.put(one.getKey(), seconds(one.getValue())));
        return Collections.unmodifiableMap(most);
    }

    private double seconds(double beats) {
        return Math.round(beats * rules.shares().beatSeconds() * 10) / 10.0;
    }

    void change() {
        changed = true;
    }

    /// Adds a deferred command.
    ///
    /// @return whether it waits for its project's turn, and this worker can read it
    /// @throws IOException if it is invalid
    boolean deferForProject(ConsumerRecord<String, byte[]> entry) throws IOException {
        var deferred = DeferredRecord.deferred(entry, rules);
        deferred.ifPresent(deferrals::add);
        changed |= deferred.isPresent();
        return deferred.isPresent();
    }

    void remove(String key) {
        changed |= deferrals.remove(key);
    }

    /// Costs nothing without rules and deferred commands.
    ///
    /// @param permitted jobs that keep a permit while they wait: their commands are always included
    ProjectSharesView view(Set<String> permitted) {
        if (changed && !(rules.shares().isNone() && deferrals.size() == 0)) {
            ProjectOrder projectOrder = ProjectOrder.of(
                    rules.shares().projects(), rules.shares().windowBeats(), usage.used(), monitor.loads());
            view = new ProjectSharesView(
                    projectOrder,
                    polled(deferrals.first(FIRST, permitted)),
                    deferrals.isFull(),
                    queued(),
                    monitor.idle(),
                    monitor.beats());
        } else if (changed) {
            view = ProjectSharesView.NONE;
        }
        changed = false;
        return view;
    }

    private List<DeferredEntry<DeferredRecord>> polled(List<DeferredEntry<DeferredRecord>> deferred) {
        return deferred.stream()
                .filter(one -> rules.routes().priorityIndex(one.topic()).isPresent())
                .toList();
    }

    /// Projects that may have commands in the topics: those with rules and those with recent use.
    private Set<String> queued() {
        if (rules.shares().isNone()) {
            return Set.of();
        }
        Set<String> all = new HashSet<>(rules.shares().projects().named().keySet());
        all.addAll(usage.used().keySet());
        return all;
    }
}
