package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `resume`: has jobs that rest go on.
@Command(
        name = "resume",
        description = "Has jobs that were paused go on.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            ExitCodes.WISH_OK_HELP,
            ExitCodes.WISH_FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ./trainyard resume tudui-1", "  ./trainyard resume --sweep rates-1"})
public final class ResumeCommand extends WishCommand {
    @Mixin
    private NamedJobs jobs = new NamedJobs();

    public ResumeCommand() {
        this(Terminal.system());
    }

    ResumeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    NamedJobs jobs() {
        return jobs;
    }

    /// A pause that is wished and not obeyed yet is taken back.
    @Override
    Optional<Answer> before(JobState job, WishedJobs all) {
        Optional<Answer> ended = ended(job, "resume");
        boolean rests = job.status() == Status.PAUSED || all.wish(job.job()) == Wish.PAUSE;
        return ended.isPresent() || rests
                ? ended
                : Optional.of(new Answer(true, true, words(job.status()) + " and was not paused; nothing to resume"));
    }

    @Override
    Wish wish(Wish kept) {
        return Wish.RUN;
    }

    @Override
    Optional<Answer> after(JobState job, WishedJobs all) {
        return switch (job.status()) {
            case PAUSED -> Optional.empty();
            case QUEUED, RUNNING -> Optional.of(new Answer(true, true, "goes on: it " + words(job.status())));
            case FINISHED, FAILED, CANCELLED, REJECTED, EXPANDED -> ended(job, "resume");
        };
    }
}
