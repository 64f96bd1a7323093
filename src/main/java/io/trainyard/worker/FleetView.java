package io.trainyard.worker;

import io.trainyard.custody.Deferrals;
import io.trainyard.custody.Deferrals.Deferral;
import io.trainyard.custody.PreemptionRule.Room;
import io.trainyard.event.Control.Wish;
import io.trainyard.spec.JobContract;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What a worker knows of its fleet: written by the thread that reads the fleet's topics, read by all.
final class FleetView {
    private final Map<String, Wish> wishes = new ConcurrentHashMap<>();
    private volatile Map<String, Integer> live; // and what they understand
    private volatile Optional<String> objection = Optional.empty();

    private volatile @Nullable Instant since;
    private volatile Map<String, Deferral<Deferred>> deferred = Map.of();
    private volatile boolean full;
    private volatile List<Room> rooms = List.of();
    private volatile boolean urgent;

    /// @param worker this one's id
    /// @param now when it begins
    FleetView(String worker, Instant now) {
        live = Map.of(worker, JobContract.OURS.newest());
        since = now;
    }

    /// What somebody wants of a job.
    Wish wish(String job) {
        return wishes.getOrDefault(job, Wish.RUN);
    }

    /// Whether the topic `control` has a record of the job.
    boolean isControlled(String job) {
        return wishes.containsKey(job);
    }

    /// @param wish null: the topic has none any more
    void control(String job, @Nullable Wish wish) {
        if (wish == null) {
            wishes.remove(job);
        } else {
            wishes.put(job, wish);
        }
    }

    /// The workers that are heard, this one included.
    Set<String> live() {
        return live.keySet();
    }

    /// Those of them that understand a contract.
    Set<String> able(int contract) {
        return Deferrals.able(contract, live);
    }

    /// Whether all that are heard do.
    boolean allUnderstand(int contract) {
        return live.values().stream().allMatch(understood -> understood >= contract);
    }

    /// @param workers and the newest contract that each understands
    void live(Map<String, Integer> workers) {
        live = Map.copyOf(workers);
    }

    /// The commands that older workers have left to this one, by their keys, the oldest first.
    Map<String, Deferral<Deferred>> deferred() {
        return deferred;
    }

    /// Whether as many commands wait for newer workers as may.
    boolean isFull() {
        return full;
    }

    /// @param due those that this worker may take
    void deferred(List<Deferral<Deferred>> due, boolean isFull) {
        Map<String, Deferral<Deferred>> all = new LinkedHashMap<>();
        due.forEach(one -> all.put(one.key(), one));
        deferred = Collections.unmodifiableMap(all);
        full = isFull;
    }

    /// The urgent job for which an attempt of this worker makes room; empty: it does for none.
    Optional<String> preemptor(String job, int attempt) {
        return rooms.stream()
                .filter(room -> room.victim().job().equals(job) && room.victim().attempt() == attempt)
                .map(room -> room.urgent().job())
                .findFirst();
    }

    /// Whether something urgent waits.
    boolean isUrgent() {
        return urgent;
    }

    /// @param waits whether something urgent does
    /// @param mine the room that this worker's jobs make for it
    void urgent(boolean waits, List<Room> mine) {
        urgent = waits;
        rooms = List.copyOf(mine);
    }

    /// Why this worker must not take jobs in this fleet; empty: it may.
    Optional<String> objection() {
        return objection;
    }

    void objection(Optional<String> reason, Instant now) {
        objection = reason;
        since = reason.isPresent() ? null : Objects.requireNonNullElse(since, now);
    }

    /// Since when this worker belongs to the fleet; null while it does not.
    @Nullable
    Instant since() {
        return since;
    }
}
