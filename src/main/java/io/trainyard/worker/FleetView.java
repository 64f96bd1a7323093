package io.trainyard.worker;

import io.trainyard.custody.Custody;
import io.trainyard.custody.Deferrals;
import io.trainyard.custody.Deferrals.Deferral;
import io.trainyard.custody.PreemptionRule.Room;
import io.trainyard.custody.Wishes;
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
    private final Wishes wishes = new Wishes();
    private final Set<String> kept = ConcurrentHashMap.newKeySet();
    private volatile Map<String, Integer> live; // and what they understand
    private volatile Optional<String> objection = Optional.empty();

    private volatile @Nullable Instant since;
    private volatile Map<String, Deferral<Deferred>> deferred = Map.of();
    private volatile boolean full;
    private volatile SharesView shares = SharesView.NONE;
    private volatile @Nullable Map<String, Double> used;
    private final Map<String, Ownership> ownerships = new ConcurrentHashMap<>();
    private final Set<String> permitted = ConcurrentHashMap.newKeySet();
    private volatile List<Room> rooms = List.of();
    private volatile boolean urgent;

    /// @param worker this one's id
    /// @param now when it begins
    FleetView(String worker, Instant now) {
        live = Map.of(worker, JobContract.OURS.newest());
        since = now;
    }

    /// What somebody wants of jobs.
    Wishes wishes() {
        return wishes;
    }

    /// This worker has kept a result at a rung of the group.
    void keptResult(String group) {
        kept.add(group);
    }

    /// The groups in which it has since this was last asked.
    Set<String> takeKept() {
        Set<String> groups = Set.copyOf(kept);
        kept.removeAll(groups);
        return groups;
    }

    /// The workers that are heard, this one included.
    Set<String> live() {
        return live.keySet();
    }

    /// Those of them that understand a contract.
    Set<String> able(int contract) {
        return Deferrals.able(contract, live);
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

    /// Whose turn it is.
    SharesView shares() {
        return shares;
    }

    void shares(SharesView now) {
        shares = now;
    }

    /// What projects have used lately, in device-seconds, for those who are new; null where this worker tells nothing.
    @Nullable
    Map<String, Double> used() {
        return used;
    }

    void used(@Nullable Map<String, Double> now) {
        used = now;
    }

    /// @param custody null: the job has ended
    void custody(String job, @Nullable Custody custody) {
        if (custody == null) {
            ownerships.remove(job);
        } else {
            ownerships.put(job, new Ownership(custody.request().attempt(), custody.state(), custody.worker()));
        }
        permitted.remove(job); // whether it still does is seen when one is wanted
    }

    /// A job waits to go on, and keeps its permit meanwhile: others of its project may have none before it has gone on.
    void keepsPermit(String job) {
        permitted.add(job);
    }

    /// Jobs that do, as far as this worker has seen since it last heard of their custodies.
    Set<String> keepPermits() {
        return Set.copyOf(permitted);
    }

    /// What is known of who has a job.
    record Ownership(int attempt, Custody.State state, String worker) {}

    /// What custody says of a job, where projects have rules; null where it says nothing.
    @Nullable
    Ownership ownership(String job) {
        return ownerships.get(job);
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
