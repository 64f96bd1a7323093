package io.trainyard.cli;

import io.trainyard.cli.watch.JobWatch;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "watch",
        description = {
            "Shows the progress of jobs until each has ended.",
            "A bar a job on a terminal; elsewhere, lines. ctrl-C ends the watching, not the job.",
            "mean is the mean loss of the last reportEverySteps steps, beside the step's own."
        },
        exitCodeList = {
            ExitCodes.JOBS_OK_HELP,
            ExitCodes.FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./trainyard watch tudui-1",
            "  ./trainyard watch $(./trainyard submit jobs.yaml)",
            "  ./trainyard watch tudui-1 --json | jq -c 'select(.type == \"epochTested\") | .testAccuracy'"
        })
public final class WatchCommand extends FleetCommand {
    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> jobs = List.of();

    @Option(names = "--json", description = "Print the jobs' events as JSON, one a line, as they are on the topics.")
    private boolean json;

    @Override
    public Integer call() {
        return JobWatch.run(kafka.cluster(), terminal, jobs, List.of(), json, JobWatch.goOn(jobs))
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }
}
