package io.trainyard.custody;

import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.Set;
import java.util.stream.Collectors;

/// A command that waits for a worker: what rules ask of it, and no more, for there may be many.
///
/// @param topic where it is
/// @param attempt that it asks for
/// @param kind of device that its job names; where that has no topics of its own, any worker will do
/// @param contract of commands that its job needs
/// @param project whose share of the fleet its job uses
/// @param refusedBy the workers that could not run it
public record Waiting(
        Topic topic,
        long offset,
        String job,
        int attempt,
        Priority priority,
        String kind,
        int contract,
        String project,
        Set<String> refusedBy) {
    public Waiting {
        refusedBy = Set.copyOf(refusedBy);
    }

    /// @param request what the command says
    public static Waiting of(Topic topic, long offset, Request request) {
        JobSpec job = request.job();
        return new Waiting(
                topic,
                offset,
                job.id(),
                request.attempt(),
                request.priority(),
                job.device().kind(),
                JobJson.command(job).contract(),
                job.projectName(),
                request.refusals().stream().map(Request.Refusal::worker).collect(Collectors.toSet()));
    }

    /// Whether a worker that has a device of some kind may run it.
    boolean isFor(String device) {
        return !Priority.NAMED_KINDS.contains(kind) || kind.equals(device);
    }
}
