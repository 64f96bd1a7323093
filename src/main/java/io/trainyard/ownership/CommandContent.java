package io.trainyard.ownership;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The content of a command.
///
/// @param attempt the requested one, from 1 on
/// @param refusals of workers that could not run the job, the oldest first
/// @param store the store of the job; null if it has not begun
/// @param trace the command's trace as W3C `traceparent`, if any
/// @param preemptions how often the job was preempted, according to its store; null: never
@JsonIgnoreProperties(ignoreUnknown = true)
public record CommandContent(
        @JsonSerialize(using = OwnershipJson.LeastJob.class) JobSpec job,
        int attempt,
        Priority priority,
        List<Refusal> refusals,
        @Nullable String store,
        @Nullable String trace,
        @Nullable Integer preemptions) {
    /// The most refusals that are kept; beyond it the oldest is dropped.
    static final int MAX_REFUSALS = 16;

    /// The longest reason that is kept, in characters.
    static final int MAX_REASON = 500;

    /// A worker could not run the job, for a reason of its own.
    public record Refusal(String worker, String reason) {
        public Refusal {
            Objects.requireNonNull(worker, "worker");
            reason = reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON);
        }
    }

    public CommandContent {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(priority, "priority");
        refusals = List.copyOf(refusals);
    }

    public int timesPreempted() {
        return preemptions == null ? 0 : preemptions;
    }

    public CommandContent attempt(int number) {
        return new CommandContent(job, number, priority, refusals, store, trace, preemptions);
    }

    public CommandContent in(String identity) {
        return new CommandContent(job, attempt, priority, refusals, identity, trace, preemptions);
    }

    /// A trial of a sweep with the sweep's priority, not yet in any store.
    public CommandContent of(JobSpec trial) {
        return new CommandContent(trial, 1, priority, List.of(), null, trace, 0);
    }

    public CommandContent at(Priority newPriority) {
        return new CommandContent(job, attempt, newPriority, refusals, store, trace, preemptions);
    }

    /// The same request with the number of preemptions from the job's store.
    public CommandContent preempted(int times) {
        return new CommandContent(job, attempt, priority, refusals, store, trace, times);
    }

    /// The same request with one more refusal; a worker's newer reason replaces its older one.
    public CommandContent refused(Refusal refusal) {
        List<Refusal> all = Stream.concat(
                        refusals.stream().filter(before -> !before.worker().equals(refusal.worker())),
                        Stream.of(refusal))
                .toList();
        return new CommandContent(
                job,
                attempt,
                priority,
                all.subList(Math.max(0, all.size() - MAX_REFUSALS), all.size()),
                store,
                trace,
                preemptions);
    }

    /// Whether no live worker is left that may be able to run the job, or the limit of refusals is reached.
    public boolean isRefusedByAll(Set<String> live, int most) {
        Set<String> refused = refusals.stream().map(Refusal::worker).collect(Collectors.toSet());
        return refused.size() >= most || refused.containsAll(live);
    }

    public Topic topic() {
        return priority.topicOf(job);
    }
}
