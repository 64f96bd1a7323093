package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.report.TextTable;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.NewsReader;
import io.trainyard.event.JobBook;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `projects`: what each project may have of the fleet, and what it has.
@Command(
        name = "projects",
        description = "Lists the projects of the fleet: weights, quotas, and what each has and had.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            ExitCodes.OK_HELP,
            ExitCodes.UNEXPECTED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
public final class ProjectsCommand implements Callable<Integer>, PlainCommand {
    /// The most jobs that are looked at.
    private static final int MAX_JOBS = 100_000;

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Terminal terminal;

    @Option(names = "--json", description = "One JSON object a line.")
    private boolean json;

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    @Mixin
    private KafkaOptions kafka = new KafkaOptions();

    public ProjectsCommand() {
        this(Terminal.system());
    }

    ProjectsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws JsonProcessingException {
        NewsReader reader = new NewsReader(terminal.err()::println);
        JobBook book = new JobBook(MAX_JOBS, _ -> {});
        try (EventLog log = EventLog.open(kafka.cluster(), Topic.NEWS)) {
            log.readToEnd(entry -> reader.read(entry).ifPresent(book::take));
        }
        var rows = ProjectRows.of(projects.rules(), book.jobs(), System.currentTimeMillis());
        if (json) {
            for (var row : rows) {
                terminal.out().println(MAPPER.writeValueAsString(row));
            }
        } else {
            List<List<String>> table = new ArrayList<>(List.of(ProjectRows.TITLES));
            rows.forEach(row -> table.add(ProjectRows.cells(row)));
            TextTable.lines(table, 1).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }
}
