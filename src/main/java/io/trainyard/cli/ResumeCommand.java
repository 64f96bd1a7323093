package io.trainyard.cli;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "resume",
        description = "Resumes paused jobs.",
        footer = {"  ./trainyard resume tudui-1", "  ./trainyard resume --sweep rates-1"})
public final class ResumeCommand extends ControlCommand {
    @Mixin
    private NamedJobs jobs = new NamedJobs();

    @Override
    NamedJobs jobs() {
        return jobs;
    }

    /// Withdraws a pause that has not taken effect yet. A job that is paused at a rung stays paused if its
    /// whole sweep is resumed.
    @Override
    Optional<Answer> before(JobState job, ControlledJobs all) {
        if (jobs.areGroup() && job.rung() != null && all.desiredState(job.job()) != DesiredState.PAUSE) {
            return Answer.asRequested(
                    "is paused because other trials of its sweep are better; ./trainyard resume %s continues it anyway"
                            .formatted(job.job()));
        }
        Optional<Answer> ended = ended(job, "resume");
        boolean isPaused = job.status() == Status.PAUSED || all.desiredState(job.job()) == DesiredState.PAUSE;
        return ended.isPresent() || isPaused
                ? ended
                : Answer.asRequested(words(job.status()) + " and was not paused; nothing to resume");
    }

    @Override
    DesiredState desiredState(DesiredState kept) {
        return DesiredState.RUN;
    }

    @Override
    boolean runsOn(JobState job) {
        return !jobs.areGroup() && job.rung() != null;
    }

    /// When a whole sweep is resumed, reports which of its jobs stay paused at a rung.
    private Optional<Answer> pausedAtRung(JobState job) {
        return jobs.areGroup() && job.rung() != null
                ? Answer.asRequested("is no longer paused by a user, but by its sweep, because other trials are better")
                : Optional.empty();
    }

    @Override
    Optional<Answer> after(JobState job, ControlledJobs all) {
        return switch (job.status()) {
            case PAUSED -> pausedAtRung(job);
            case QUEUED, RUNNING -> Answer.asRequested("continues: it " + words(job.status()));
            case FINISHED, FAILED, CANCELLED, REJECTED, EXPANDED -> ended(job, "resume");
        };
    }
}
