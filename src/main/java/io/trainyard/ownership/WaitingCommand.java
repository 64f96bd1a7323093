package io.trainyard.ownership;

import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.Set;
import java.util.stream.Collectors;

/// A waiting command, reduced to what the rules need because many may wait.
///
/// @param kind the kind of device that the job names; without topics for that kind, any worker may run it
public record WaitingCommand(
        Topic topic,
        long offset,
        String job,
        int attempt,
        Priority priority,
        String kind,
        int schemaVersion,
        String project,
        Set<String> refusedBy) {
    public WaitingCommand {
        refusedBy = Set.copyOf(refusedBy);
    }

    public static WaitingCommand of(Topic topic, long offset, CommandContent request) {
        JobSpec job = request.job();
        return new WaitingCommand(
                topic,
                offset,
                job.id(),
                request.attempt(),
                request.priority(),
                job.device().kind(),
                JobJson.command(job).schemaVersion(),
                job.projectName(),
                request.refusals().stream().map(CommandContent.Refusal::worker).collect(Collectors.toSet()));
    }

    boolean isFor(String device) {
        return !Priority.NAMED_KINDS.contains(kind) || kind.equals(device);
    }
}
