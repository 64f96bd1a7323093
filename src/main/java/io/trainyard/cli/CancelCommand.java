package io.trainyard.cli;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "cancel",
        description = "Cancels jobs: running ones at their next step.",
        footer = {"  ./trainyard cancel tudui-1", "  ./trainyard cancel --sweep rates-1"})
public final class CancelCommand extends ControlCommand {
    @Mixin
    private NamedJobs jobs = new NamedJobs();

    @Override
    NamedJobs jobs() {
        return jobs;
    }

    @Override
    Optional<Answer> before(JobState job, ControlledJobs all) {
        return job.status() == Status.CANCELLED
                ? Answer.asRequested("was cancelled already, at step %d".formatted(job.step()))
                : ended(job, "cancel");
    }

    @Override
    DesiredState desiredState(DesiredState kept) {
        return DesiredState.CANCEL;
    }

    @Override
    Optional<Answer> after(JobState job, ControlledJobs all) {
        return job.status() == Status.CANCELLED
                ? Answer.asRequested("is cancelled at step %d".formatted(job.step()))
                : ended(job, "cancel");
    }
}
