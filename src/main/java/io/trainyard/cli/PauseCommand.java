package io.trainyard.cli;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "pause",
        description = "Pauses jobs, with a checkpoint, until they are resumed.",
        footer = {"  ./trainyard pause tudui-1", "  ./trainyard pause --sweep rates-1"})
public final class PauseCommand extends ControlCommand {
    @Mixin
    private NamedJobs jobs = new NamedJobs();

    @Override
    NamedJobs jobs() {
        return jobs;
    }

    @Override
    Optional<Answer> before(JobState job, ControlledJobs all) {
        return job.status() == Status.PAUSED && all.desiredState(job.job()) == DesiredState.PAUSE
                ? Answer.asRequested("is paused already; ./trainyard resume continues it")
                : ended(job, "pause");
    }

    @Override
    DesiredState desiredState(DesiredState kept) {
        return DesiredState.PAUSE;
    }

    @Override
    Optional<Answer> after(JobState job, ControlledJobs all) {
        return job.status() == Status.PAUSED
                ? Answer.asRequested("is paused at step %d; ./trainyard resume continues it".formatted(job.step()))
                : ended(job, "pause");
    }
}
