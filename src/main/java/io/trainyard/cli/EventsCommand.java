package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `events`: the topics' bytes, for programs.
@Command(
        name = "events",
        description = "Prints the events of all jobs, or of one: the JSON of the topics as it is, one event a line.",
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
            "  ./trainyard events --job tudui-1 > tudui-1.jsonl",
            "  ./trainyard events --follow | jq -c 'select(.type == \"epochTested\") | [.job, .epoch, .testAccuracy]'"
        })
public final class EventsCommand implements Callable<Integer>, PlainCommand {
    private static final JsonFactory JSON = new JsonFactory();

    private final Terminal terminal;

    @Option(names = "--job", paramLabel = "JOB", description = "Only this job's events.")
    private @Nullable String job;

    @Option(names = "--follow", description = "Go on at the present end, until ctrl-C.")
    private boolean follow;

    @Mixin
    private KafkaOptions kafka;

    public EventsCommand() {
        this(Terminal.system());
    }

    EventsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /// That nobody reads the output any more ends it, without a word: `events | head` is not an error.
    @Override
    public Integer call() {
        if (follow) { // what does not exist cannot be followed
            kafka.cluster().reach(() -> {
                TopicAdmin.createMissing(kafka.address(), kafka.prefix(), kafka.timeout());
                return true;
            });
        }
        try (EventLog log = EventLog.open(kafka.cluster(), Topic.EVENTS)) {
            log.readToEnd(this::print);
            if (terminal.out().checkError()) {
                return ExitCodes.OK;
            }
            if (follow) {
                log.follow(this::print, () -> !terminal.out().checkError());
            }
        } catch (NobodyReadsException _) {
            return ExitCodes.OK;
        }
        return ExitCodes.OK;
    }

    private void print(TopicRecord entry) {
        if (job != null && !job.equals(entry.key())) {
            return;
        }
        if (!isOneLineOfJson(entry.body())) {
            terminal.err().println("skipped the record in %s: it is not one line of JSON".formatted(entry.place()));
            return;
        }
        PrintStream out = terminal.out();
        out.write(entry.body(), 0, entry.body().length);
        out.write('\n');
        if (out.checkError()) {
            throw new NobodyReadsException();
        }
    }

    private static boolean isOneLineOfJson(byte[] json) {
        for (byte b : json) {
            if (b == '\n' || b == '\r') {
                return false;
            }
        }
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            if (parser.currentToken() == null || !parser.currentToken().isStructStart()) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException _) {
            return false;
        }
    }

    private static final class NobodyReadsException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
