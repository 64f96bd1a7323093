package io.trainyard.custody;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Who has a job, or what it waits for: the newest record of the topic `custody` under the job's id. A job that has
/// ended has none.
///
/// It may be out of date, because a worker that stood still may write what was true before. So it is never more
/// than a reason to publish the command once more; which attempt counts, the store says.
///
/// @param request held: the command that `worker` runs; else the command that is, or will be, published
/// @param worker who holds it, or who wrote the record
/// @param copies how often the command was published since somebody held the job
/// @param rung after how many epochs its `asha` has it rest; null: it does not
@JsonIgnoreProperties(ignoreUnknown = true)
public record Custody(
        Request request,
        State state,
        String worker,
        int copies,
        @Nullable Integer rung) {
    public enum State {
        /// A worker runs it, and its heartbeats say so.
        HELD,
        /// Its command waits for a worker.
        WAITING,
        /// Its command is nowhere but here, until somebody resumes the job.
        PAUSED
    }

    @JsonCreator
    public Custody {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(worker, "worker");
    }

    private Custody(Request request, State state, String worker, int copies) {
        this(request, state, worker, copies, null);
    }

    public static Custody held(Request request, String worker) {
        return new Custody(request, State.HELD, worker, 0);
    }

    public static Custody paused(Request request, String worker) {
        return new Custody(request, State.PAUSED, worker, 0);
    }

    /// It rests as if paused, until it is among the best of its group or somebody wants that it runs on.
    ///
    /// @param rung after how many epochs
    public static Custody resting(Request request, String worker, int rung) {
        return new Custody(request, State.PAUSED, worker, 0, rung);
    }

    @JsonIgnore
    public boolean isResting() {
        return rung != null;
    }

    /// The command was published once more.
    public static Custody waiting(Request request, String worker, int copies) {
        return new Custody(request, State.WAITING, worker, copies);
    }

    public String job() {
        return request.job().id();
    }
}
