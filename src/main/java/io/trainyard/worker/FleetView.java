package io.trainyard.worker;

import io.trainyard.event.Control.Wish;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What a worker knows of its fleet: written by the thread that reads the fleet's topics, read by all.
final class FleetView {
    private final Map<String, Wish> wishes = new ConcurrentHashMap<>();
    private volatile Set<String> live;
    private volatile Optional<String> objection = Optional.empty();

    private volatile @Nullable Instant since;

    /// @param worker this one's id
    /// @param now when it begins
    FleetView(String worker, Instant now) {
        live = Set.of(worker);
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
        return live;
    }

    void live(Set<String> workers) {
        live = Set.copyOf(workers);
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
