package io.trainyard.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.FleetReader;
import io.trainyard.cli.watch.JobTable;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.Outlook;
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
    private ProjectsOptions projects = new ProjectsOptions();

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
        FleetReader fleet = new FleetReader(kafka.cluster(), projects.rules(), terminal.err()::println);
        try (EventLog log = fleet.open()) {
            log.readToEnd(fleet::take);
        }
        List<JobState> chosen =
                new ArrayList<>(fleet.jobs().stream().filter(choice::matches).toList());
        Forecast forecast = chosen.stream().anyMatch(JobsCommand::waits)
                ? fleet.forecast(System.currentTimeMillis())
                : Forecast.NONE;
        if (order != null) {
            chosen.sort(order.comparator(descending));
        }
        if (chosen.isEmpty()) {
            terminal.err()
                    .printf(
                            "there are no jobs%s at %s, topics %s*%n",
                            fleet.jobs().isEmpty()
                                    ? ""
                                    : " like that, but %d others,"
                                            .formatted(fleet.jobs().size()),
                            kafka.address(),
                            kafka.prefix());
        } else if (json) {
            for (JobState state : chosen) {
                terminal.out().println(MAPPER.writeValueAsString(new Listed(state, forecast.of(state.job()))));
            }
        } else {
            JobTable.rows(chosen, forecast).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }

    /// @param outlook what lies before it; null: it does not wait
    private record Listed(
            @JsonUnwrapped JobState state,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Outlook outlook) {}

    private static boolean waits(JobState state) {
        return state.status() == Status.QUEUED || state.status() == Status.PAUSED;
    }

    private static final class OrderConverter implements ITypeConverter<JobOrder> {
        @Override
        public JobOrder convert(String value) {
            return Words.read(value, JobOrder.class);
        }
    }
}
