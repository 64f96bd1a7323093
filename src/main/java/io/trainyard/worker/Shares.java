package io.trainyard.worker;

import io.trainyard.custody.Keeper;
import io.trainyard.custody.Parking;
import io.trainyard.custody.Parking.Parked;
import io.trainyard.share.ProjectRules;
import io.trainyard.share.Standings;
import io.trainyard.share.Usage;
import io.trainyard.topics.Priority;
import java.io.IOException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// What a worker knows of how projects share its fleet: it counts in its own heartbeats who has what, and knows which
/// commands wait beside their topics. Used by the thread that reads the fleet's topics.
final class Shares {
    /// @param projects what each may have
    /// @param windowBeats their window, in this worker's heartbeats
    record Rules(ProjectRules projects, double windowBeats) {
        /// There is no file.
        static final Rules NONE = new Rules(ProjectRules.NONE, 1);

        boolean isNone() {
            return projects.isNone();
        }

        double beatSeconds() {
            return projects.window().toMillis() / 1000.0 / windowBeats;
        }
    }

    /// So many of each line can be chosen from at a time: as many as workers may look for one at a moment.
    private static final int FIRST = 16;

    /// So many projects are told of: heartbeats are small.
    private static final int TOLD = 50;

    private final Keeper keeper;
    private final WorkerRules rules;
    private final Usage usage;
    private final Parking<Deferred> parking = new Parking<>();
    private @Nullable Map<String, Double> told;
    private boolean changed = true;
    private SharesView view = SharesView.NONE;

    /// @param keeper knows who holds what
    Shares(Keeper keeper, WorkerRules rules) {
        this.keeper = keeper;
        this.rules = rules;
        this.usage = new Usage(rules.shares().windowBeats());
    }

    /// This worker's own heartbeat has come back.
    void beat() {
        if (!rules.shares().isNone()) {
            usage.beat(keeper.loads());
            told = usage.isAcquainted() ? most() : null;
        }
        changed = true;
    }

    /// Another worker tells what it has counted.
    ///
    /// @param seconds that projects had devices
    void heard(Map<String, Double> seconds) {
        if (!rules.shares().isNone()) {
            changed |= usage.adopt(seconds, rules.shares().beatSeconds());
        }
    }

    /// What this worker has counted, in device-seconds, for those who are new; null while it is new itself, and where
    /// nothing is counted.
    @Nullable
    Map<String, Double> told() {
        return told;
    }

    private Map<String, Double> most() {
        Map<String, Double> most = new LinkedHashMap<>();
        usage.used().entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(TOLD)
                .forEach(one -> most.put(one.getKey(), seconds(one.getValue())));
        return Collections.unmodifiableMap(most);
    }

    /// To a tenth.
    private double seconds(double beats) {
        return Math.round(beats * rules.shares().beatSeconds() * 10) / 10.0;
    }

    /// Something was written to `custody`.
    void change() {
        changed = true;
    }

    /// Takes in a command that waits.
    ///
    /// @return whether it waits for its project's turn, and this worker can read it
    /// @throws IOException if it is none
    boolean park(ConsumerRecord<String, byte[]> entry) throws IOException {
        var parked = Deferred.parked(entry, rules);
        parked.ifPresent(parking::add);
        changed |= parked.isPresent();
        return parked.isPresent();
    }

    /// A command waits no more.
    void remove(String key) {
        changed |= parking.remove(key);
    }

    /// Costs nothing where there is no file and nothing is parked.
    ///
    /// @param permitted jobs that keep a permit while they wait: their commands are seen wherever they stand
    SharesView view(Set<String> permitted) {
        if (changed && !(rules.shares().isNone() && parking.size() == 0)) {
            Standings standings =
                    Standings.of(rules.shares().projects(), rules.shares().windowBeats(), usage.used(), keeper.loads());
            view = new SharesView(
                    standings,
                    looked(parking.first(FIRST, permitted)),
                    parking.isFull(),
                    queued(),
                    keeper.idle(),
                    keeper.beats());
        } else if (changed) {
            view = SharesView.NONE;
        }
        changed = false;
        return view;
    }

    private List<Parked<Deferred>> looked(List<Parked<Deferred>> parked) {
        return parked.stream()
                .filter(one -> rules.routes().urgency(one.topic()).isPresent())
                .toList();
    }

    /// Projects that may have commands in the topics: all that are named, and all that have used something lately.
    private Map<Priority, Set<String>> queued() {
        if (rules.shares().isNone()) {
            return Map.of();
        }
        Set<String> all = new HashSet<>(rules.shares().projects().named().keySet());
        all.addAll(usage.used().keySet());
        Map<Priority, Set<String>> queued = new EnumMap<>(Priority.class);
        for (Priority priority : Priority.values()) {
            queued.put(priority, all);
        }
        return queued;
    }
}
