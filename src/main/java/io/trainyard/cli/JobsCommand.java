package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.JobBook;
import io.trainyard.cli.watch.JobTable;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `jobs`: where every job stands.
@Command(
        name = "jobs",
        description = "Lists the jobs of the fleet: those that wait, run, have finished, failed or were rejected.",
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
        List<Topic> topics = new ArrayList<>(EventLog.EVENTS);
        topics.addAll(Topic.COMMANDS);
        topics.add(Topic.DEAD_LETTER);
        JobBook book = new JobBook(_ -> true, (_, _) -> {}, terminal.err()::println);
        try (EventLog log = EventLog.open(kafka.cluster(), topics)) {
            log.readToEnd(book::take);
        }
        if (book.pages().isEmpty()) {
            terminal.err().printf("there are no jobs at %s, topics %s*%n", kafka.address(), kafka.prefix());
        } else if (json) {
            for (JobBook.Page page : book.pages()) {
                terminal.out().println(toJson(page));
            }
        } else {
            JobTable.rows(book.pages()).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }

    /// The fields of [io.trainyard.event.JobState], and what is known of a job that never ran.
    private static String toJson(JobBook.Page page) throws JsonProcessingException {
        ObjectNode node = MAPPER.valueToTree(page.state());
        node.put("status", page.status());
        node.put("reason", page.reason());
        node.set("spec", MAPPER.valueToTree(page.spec()));
        return MAPPER.writeValueAsString(node);
    }
}
