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
            "A terminal shows a bar per job, other output lines. Ctrl+C does not end the jobs.",
            "mean is the mean loss of the last reportEverySteps steps."
        },
        exitCodeList = {
            ExitCodes.JOBS_OK_HELP,
            ExitCodes.FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {
            "  ./trainyard watch $(./trainyard submit jobs.yaml)",
            "  ./trainyard watch tudui-1 --json | jq -c 'select(.type == \"epochTested\")'"
        })
public final class WatchCommand extends FleetCommand {
    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> jobs = List.of();

    @Option(names = "--json", description = "Print events as JSON, one per line, as on the topic.")
    private boolean json;

    @Override
    public Integer call() {
        return JobWatch.run(kafka.cluster(), terminal, jobs, List.of(), json, JobWatch.goOn(jobs))
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }
}
