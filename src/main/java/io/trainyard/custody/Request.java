package io.trainyard.custody;

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

/// A job that is asked for, as a command says it.
///
/// @param attempt the one asked for, from 1 on
/// @param refusals of the workers that had this job and could not run it, the first one first
/// @param store the store the job has been in; null: in none yet
/// @param trace the command's trace, as W3C's `traceparent`; null: it has none
/// @param preemptions how often the job has made room for urgent ones, as its store says; null: of an earlier version,
///     never
@JsonIgnoreProperties(ignoreUnknown = true)
public record Request(
        @JsonSerialize(using = CustodyJson.LeastJob.class) JobSpec job,
        int attempt,
        Priority priority,
        List<Refusal> refusals,
        @Nullable String store,
        @Nullable String trace,
        @Nullable Integer preemptions) {
    /// Refusals that are remembered; past it the oldest is forgotten.
    static final int MAX_REFUSALS = 16;

    /// The longest reason that is remembered, in characters.
    static final int MAX_REASON = 500;

    /// A worker could not run the job, for a reason of its own.
    public record Refusal(String worker, String reason) {
        public Refusal {
            Objects.requireNonNull(worker, "worker");
            reason = reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON);
        }
    }

    public Request {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(priority, "priority");
        refusals = List.copyOf(refusals);
    }

    /// How often the job has made room.
    public int timesPreempted() {
        return preemptions == null ? 0 : preemptions;
    }

    /// The same job, another attempt at it.
    public Request attempt(int number) {
        return new Request(job, number, priority, refusals, store, trace, preemptions);
    }

    /// The same, with the store that the job is in.
    public Request in(String identity) {
        return new Request(job, attempt, priority, refusals, identity, trace, preemptions);
    }

    /// A trial of a sweep, as urgent as that; no store has it yet.
    public Request of(JobSpec trial) {
        return new Request(trial, 1, priority, List.of(), null, trace, 0);
    }

    /// The same, more or less urgent.
    public Request at(Priority urgency) {
        return new Request(job, attempt, urgency, refusals, store, trace, preemptions);
    }

    /// The same, with what its store says of how often it has made room.
    public Request preempted(int times) {
        return new Request(job, attempt, priority, refusals, store, trace, times);
    }

    /// The same, refused by one more worker; a worker's newer reason replaces its older one.
    public Request refused(Refusal refusal) {
        List<Refusal> all = Stream.concat(
                        refusals.stream().filter(before -> !before.worker().equals(refusal.worker())),
                        Stream.of(refusal))
                .toList();
        return new Request(
                job,
                attempt,
                priority,
                all.subList(Math.max(0, all.size() - MAX_REFUSALS), all.size()),
                store,
                trace,
                preemptions);
    }

    /// Whether nobody is left who may be able to run it, or so many were not that it is the job's own fault.
    ///
    /// @param live the workers that are there
    /// @param most so many refusals are enough
    public boolean isRefusedByAll(Set<String> live, int most) {
        Set<String> refused = refusals.stream().map(Refusal::worker).collect(Collectors.toSet());
        return refused.size() >= most || refused.containsAll(live);
    }

    /// Where its command belongs.
    public Topic topic() {
        return priority.topicOf(job);
    }
}
