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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
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
        footer = {
            "  ./trainyard jobs --state running,queued",
            "  ./trainyard jobs --group optimizer.type=adam --sort accuracy --descending",
            "  ./trainyard jobs --json | jq -r 'select(.state == \"failed\") | .job'"
        })
public final class JobsCommand implements Callable<Integer>, PlainCommand {
    /// The most jobs that are listed.
    private static final int MAX_JOBS = 10_000;

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Terminal terminal;

    @Option(names = "--json", description = "One JSON object a line, with every epoch.")
    private boolean json;

    @Mixin
    private JobChoice choice = new JobChoice();

    @Option(
            names = "--sort",
            paramLabel = "BY",
            converter = OrderConverter.class,
            description =
                    "job, state, heard, start, duration, dataset, network, worker, step, loss, test_loss or accuracy (default: as first heard of). Jobs that have no such value come last.")
    private @Nullable JobOrder order;

    @Option(names = "--descending", description = "With --sort, the greatest first.")
    private boolean descending;

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
        List<JobState> chosen =
                new ArrayList<>(book.jobs().stream().filter(choice::matches).toList());
        if (order != null) {
            chosen.sort(order.comparator(descending));
        }
        if (chosen.isEmpty()) {
            terminal.err()
                    .printf(
                            "there are no jobs%s at %s, topics %s*%n",
                            book.jobs().isEmpty()
                                    ? ""
                                    : " like that, but %d others,"
                                            .formatted(book.jobs().size()),
                            kafka.address(),
                            kafka.prefix());
        } else if (json) {
            for (JobState state : chosen) {
                terminal.out().println(MAPPER.writeValueAsString(state));
            }
        } else {
            JobTable.rows(chosen).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }

    private static final class OrderConverter implements ITypeConverter<JobOrder> {
        @Override
        public JobOrder convert(String value) {
            return Words.read(value, JobOrder.class);
        }
    }
}
