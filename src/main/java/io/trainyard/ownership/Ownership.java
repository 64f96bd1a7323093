package io.trainyard.ownership;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The owner of a job, or what the job waits for: the newest record of the topic `ownership` with the job's id. A
/// job that has ended has no record.
///
/// It may be outdated, because a frozen worker may wake up and write old state. So it is only ever a reason to
/// publish the command again; the store decides which attempt counts.
///
/// @param request the command: if `RUNNING`, the one that `worker` runs, else the one that is or will be published
/// @param worker the owner, or the author of the record
/// @param copies how often the command was published since the job last had an owner
/// @param rung the epochs after which `asha` paused it; null if it did not
@JsonIgnoreProperties(ignoreUnknown = true)
public record Ownership(
        CommandContent request,
        State state,
        String worker,
        int copies,
        @Nullable Integer rung) {
    public enum State {
        /// A worker runs it and names it in its heartbeats.
        RUNNING,
        /// Its command waits for a worker.
        WAITING,
        /// Only this record has its command, until the job is resumed.
        PAUSED
    }

    @JsonCreator
    public Ownership {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(worker, "worker");
    }

    private Ownership(CommandContent request, State state, String worker, int copies) {
        this(request, state, worker, copies, null);
    }

    public static Ownership running(CommandContent request, String worker) {
        return new Ownership(request, State.RUNNING, worker, 0);
    }

    public static Ownership paused(CommandContent request, String worker) {
        return new Ownership(request, State.PAUSED, worker, 0);
    }

    /// The job is paused at a rung until it is among the best of its group or a user resumes it.
    public static Ownership pausedAtRung(CommandContent request, String worker, int rung) {
        return new Ownership(request, State.PAUSED, worker, 0, rung);
    }

    @JsonIgnore
    public boolean isPausedAtRung() {
        return rung != null;
    }

    /// The command was published again.
    public static Ownership waiting(CommandContent request, String worker, int copies) {
        return new Ownership(request, State.WAITING, worker, copies);
    }

    public String job() {
        return request.job().id();
    }
}
