package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `cancel`: ends jobs for good.
@Command(
        name = "cancel",
        description = "Ends jobs for good: those that run at their next step, the others at once.",
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
        footer = "  ./trainyard cancel tudui-1")
public final class CancelCommand extends WishCommand {
    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> jobs = List.of();

    public CancelCommand() {
        this(Terminal.system());
    }

    CancelCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    List<String> jobs() {
        return jobs;
    }

    @Override
    Optional<Answer> before(JobState job, WishedJobs all) {
        return job.status() == Status.CANCELLED
                ? Optional.of(new Answer(true, true, "was cancelled already, at step %d".formatted(job.step())))
                : ended(job, "cancel");
    }

    @Override
    Wish wish(Wish kept) {
        return Wish.CANCEL;
    }

    @Override
    Optional<Answer> after(JobState job, WishedJobs all) {
        return job.status() == Status.CANCELLED
                ? Optional.of(new Answer(true, true, "is cancelled at step %d".formatted(job.step())))
                : ended(job, "cancel");
    }
}
