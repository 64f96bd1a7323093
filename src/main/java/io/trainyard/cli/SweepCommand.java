package io.trainyard.cli;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.watch.JobRecordReader;
import io.trainyard.cli.watch.SweepTable;
import io.trainyard.event.JobState;
import io.trainyard.event.JobStates;
import io.trainyard.sweep.ObservedRungs;
import io.trainyard.sweep.SweepView;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "sweep",
        description = "Compares the jobs of a sweep or another group, best first.",
        exitCodeList = {
            ExitCodes.OK_HELP,
            "1:the sweep is unknown; or an internal error",
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {"  ./trainyard sweep rates-1 --watch", "  ./trainyard sweep rates-1 --json | jq '.trials[0].values'"})
public final class SweepCommand extends FleetCommand {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /// Moves the cursor to the top of a terminal and clears the screen.
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private static final int MAX_LIMIT = 10_000;

    @Parameters(paramLabel = "GROUP", description = "Id of the sweep, or the group of jobs.")
    private String group = "";

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "40",
            description = "Show the best N (default: ${DEFAULT-VALUE}); JSON always has all.")
    private int limit;

    @Option(names = "--watch", description = "Update until no job is running, queued, or paused among the best.")
    private boolean watch;

    @Option(names = "--json", description = "Print a JSON object; with --watch one for each change.")
    private boolean json;

    @Override
    public Integer call() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw wrong("--limit is %d; allowed is 1 to %d".formatted(limit, MAX_LIMIT));
        }
        JobRecordReader reader = new JobRecordReader(terminal.err()::println);
        JobStates book = new JobStates(GroupReader.MAX_JOBS, _ -> {});
        try (EventLog log = EventLog.open(kafka.cluster(), Topic.JOB_TOPICS)) {
            log.readToEnd(entry -> take(entry, reader, book));
            List<JobState> jobs = GroupReader.of(book, group);
            if (jobs.isEmpty()) {
                terminal.err()
                        .printf(
                                "there is no sweep %s, and no job has it as group; ./trainyard jobs lists all%n",
                                group);
                return ExitCodes.FAILED;
            }
            show(jobs);
            while (watch && ObservedRungs.areOpen(GroupReader.of(book, group))) {
                long endNanos = System.nanoTime() + PAUSE.toNanos();
                boolean[] received = {false};
                log.follow(
                        entry -> {
                            take(entry, reader, book);
                            received[0] = true;
                        },
                        () -> System.nanoTime() < endNanos);
                if (received[0]) {
                    show(GroupReader.of(book, group));
                }
            }
        }
        return ExitCodes.OK;
    }

    private static void take(TopicRecord entry, JobRecordReader reader, JobStates book) {
        reader.read(entry).ifPresent(book::take);
    }

    private void show(List<JobState> jobs) {
        SweepView view = SweepView.ofStates(group, jobs);
        if (json) {
            terminal.printJson(view);
        } else {
            if (watch && terminal.interactive()) {
                terminal.out().print(CLEAR);
            }
            SweepTable.lines(view, limit).forEach(terminal.out()::println);
        }
        terminal.out().flush();
    }
}
