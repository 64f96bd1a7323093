package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.JobTable;
import io.trainyard.cli.watch.NewsReader;
import io.trainyard.event.JobBook;
import io.trainyard.event.JobState;
import io.trainyard.topics.Topic;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `jobs`: where every job stands.
@Command(
        name = "jobs",
        description = "Lists the jobs of the fleet: queued, running, paused, finished, failed, cancelled or rejected.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            ExitCodes.OK_HELP,
            ExitCodes.UNEXPECTED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ./trainyard jobs", "  ./trainyard jobs --json | jq -r 'select(.status == \"FAILED\") | .job'"})
public final class JobsCommand implements Callable<Integer>, PlainCommand {
    /// The most jobs that are listed.
    private static final int MAX_JOBS = 10_000;

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Terminal terminal;

    @Option(names = "--json", description = "One JSON object a line, with every epoch.")
    private boolean json;

    @Mixin
    private KafkaOptions kafka;

    public JobsCommand() {
        this(Terminal.system());
    }

    JobsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws JsonProcessingException {
        NewsReader reader = new NewsReader(terminal.err()::println);
        JobBook book = new JobBook(MAX_JOBS, _ -> {});
        try (EventLog log = EventLog.open(kafka.cluster(), Topic.NEWS)) {
            log.readToEnd(entry -> reader.read(entry).ifPresent(book::take));
        }
        if (book.jobs().isEmpty()) {
            terminal.err().printf("there are no jobs at %s, topics %s*%n", kafka.address(), kafka.prefix());
        } else if (json) {
            for (JobState state : book.jobs()) {
                terminal.out().println(MAPPER.writeValueAsString(state));
            }
        } else {
            JobTable.rows(book.jobs()).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }
}
