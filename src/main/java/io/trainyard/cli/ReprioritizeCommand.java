package io.trainyard.cli;

import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.Priority;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "reprioritize",
        description = {
            "Changes the priority of a job.",
            "Free workers take jobs of high priority first. A running job is not interrupted."
        },
        footer = {"  ./trainyard reprioritize tudui-1 high", "  ./trainyard reprioritize tudui-2 low --timeout 0"})
public final class ReprioritizeCommand extends ControlCommand {
    @Parameters(index = "0", paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

    @Parameters(
            index = "1",
            paramLabel = "P",
            converter = SubmitCommand.PriorityConverter.class,
            description = "high, normal or low.")
    private Priority priority = Priority.NORMAL;

    @Override
    NamedJobs jobs() {
        return NamedJobs.of(job);
    }

    @Override
    Optional<Answer> before(JobState state, ControlledJobs all) {
        return ended(state, "reprioritize");
    }

    @Override
    DesiredState desiredState(DesiredState kept) {
        return kept;
    }

    @Override
    RequestedPriority requestedPriority(@Nullable RequestedPriority kept) {
        return priority.requested();
    }

    /// The copy of the command comes first: if the control request is lost, an extra copy has no effect.
    @Override
    void publish(List<Control> controls, ControlledJobs all) {
        if (all.state(job).map(JobState::status).filter(Status.QUEUED::equals).isPresent()) {
            all.command(job)
                    .ifPresent(command ->
                            new CommandSender(kafka.cluster(), CloudEvents.CLI).copy(List.of(command), priority));
        }
        super.publish(controls, all);
    }

    @Override
    Optional<Answer> after(JobState state, ControlledJobs all) {
        String requestedPriority = priority.name().toLowerCase(Locale.ROOT);
        if (state.status() != Status.QUEUED) {
            return Answer.asRequested("%s: the priority %s is kept for when it waits for a worker again"
                    .formatted(words(state.status()), requestedPriority));
        }
        return Answer.asRequested(
                all.command(job).isPresent()
                        ? "waits with the priority " + requestedPriority
                        : "has no command on the topics any more: the priority %s is kept for its next one"
                                .formatted(requestedPriority));
    }
}
