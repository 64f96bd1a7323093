package io.trainyard.worker;

import io.trainyard.ownership.ControlRequests;
import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.ownership.DeferredByVersion.Deferral;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.PreemptionRule.Decision;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.spec.JobSpec;
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

/// What a worker knows of its fleet. One thread reads the topics and writes this; all threads read it.
final class FleetView {
    private final ControlRequests controls = new ControlRequests();
    private final Set<String> groupsWithResults = ConcurrentHashMap.newKeySet();
    private volatile Map<String, Integer> live; // and the schema version that each supports
    private volatile Optional<String> objection = Optional.empty();

    private volatile @Nullable Instant since;
    private volatile Map<String, Deferral<DeferredRecord>> deferred = Map.of();
    private volatile boolean full;
    private volatile ProjectSharesView shares = ProjectSharesView.NONE;
    private volatile @Nullable Map<String, Double> used;
    private final Map<String, OwnedAttempt> ownerships = new ConcurrentHashMap<>();
    private final Set<String> permitted = ConcurrentHashMap.newKeySet();
    private volatile List<Decision> preemptions = List.of();
    private volatile boolean highPriorityWaiting;

    FleetView(String worker, Instant now) {
        live = Map.of(worker, JobSchemaVersion.OURS.newest());
        since = now;
    }

    ControlRequests controls() {
        return controls;
    }

    /// This worker has stored a result at a rung of the group.
    void rungResultStored(String group) {
        groupsWithResults.add(group);
    }

    /// The groups with such results since the last call.
    Set<String> takeGroupsWithResults() {
        Set<String> groups = Set.copyOf(groupsWithResults);
        groupsWithResults.removeAll(groups);
        return groups;
    }

    Set<String> live() {
        return live.keySet();
    }

    /// The live workers that support the job's schema version.
    Set<String> able(JobSpec job) {
        return DeferredByVersion.able(JobJson.command(job).schemaVersion(), live);
    }

    /// @param workers the newest schema version that each supports
    void live(Map<String, Integer> workers) {
        live = Map.copyOf(workers);
    }

    /// The commands that older workers deferred to this one, by key, the oldest first.
    Map<String, Deferral<DeferredRecord>> deferred() {
        return deferred;
    }

    /// Whether the limit of deferred commands is reached.
    boolean isFull() {
        return full;
    }

    /// @param due those that this worker may claim
    void deferred(List<Deferral<DeferredRecord>> due, boolean isFull) {
        Map<String, Deferral<DeferredRecord>> all = new LinkedHashMap<>();
        due.forEach(one -> all.put(one.key(), one));
        deferred = Collections.unmodifiableMap(all);
        full = isFull;
    }

    ProjectSharesView shares() {
        return shares;
    }

    void shares(ProjectSharesView now) {
        shares = now;
    }

    /// The recent use of each project in device-seconds, for new workers; null if this worker does not report
    /// it.
    @Nullable
    Map<String, Double> used() {
        return used;
    }

    void used(@Nullable Map<String, Double> now) {
        used = now;
    }

    /// @param ownership null if the job has ended
    void ownership(String job, @Nullable Ownership ownership) {
        if (ownership == null) {
            ownerships.remove(job);
        } else {
            ownerships.put(job, new OwnedAttempt(ownership.request().attempt(), ownership.state(), ownership.worker()));
        }
        permitted.remove(job); // looked up again when it is needed
    }

    /// A job that waits to continue keeps its permit, so that other jobs of its project cannot take it.
    void keepsPermit(String job) {
        permitted.add(job);
    }

    /// Jobs that keep a permit, as far as this worker has seen since their last ownership record.
    Set<String> keepPermits() {
        return Set.copyOf(permitted);
    }

    record OwnedAttempt(int attempt, Ownership.State state, String worker) {}

    /// A job's owner, if projects have rules; null if there is no record.
    @Nullable
    OwnedAttempt ownership(String job) {
        return ownerships.get(job);
    }

    /// The high-priority job for which an attempt of this worker is preempted, if any.
    Optional<String> preemptor(String job, int attempt) {
        return preemptions.stream()
                .filter(decision ->
                        decision.victim().job().equals(job) && decision.victim().attempt() == attempt)
                .map(decision -> decision.command().job())
                .findFirst();
    }

    boolean isHighPriorityWaiting() {
        return highPriorityWaiting;
    }

    /// @param mine this worker's jobs that are to be preempted
    void highPriorityWaiting(boolean waits, List<Decision> mine) {
        highPriorityWaiting = waits;
        preemptions = List.copyOf(mine);
    }

    /// Why this worker must not claim in this fleet; empty if it may.
    Optional<String> objection() {
        return objection;
    }

    void objection(Optional<String> reason, Instant now) {
        objection = reason;
        since = reason.isPresent() ? null : Objects.requireNonNullElse(since, now);
    }

    @Nullable
    Instant since() {
        return since;
    }
}
