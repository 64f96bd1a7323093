package io.trainyard.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.watch.FleetReader;
import io.trainyard.cli.watch.JobTable;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.StartForecast;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "jobs",
        description = "Lists the jobs of the fleet with their states.",
        footer = {
            "  ./trainyard jobs --state running,queued",
            "  ./trainyard jobs --json | jq -r 'select(.state == \"failed\") | .job'"
        })
public final class JobsCommand extends FleetCommand {

    @Option(names = "--json", description = "Print a JSON object per job with all epochs, one per line.")
    private boolean json;

    @Mixin
    private JobChoice choice = new JobChoice();

    @Option(
            names = "--sort",
            paramLabel = "BY",
            description =
                    "job, state, submitted (default), start, duration, dataset, network, worker, step, loss, test_loss or accuracy; jobs without a value come last.")
    private @Nullable JobOrder order;

    @Option(names = "--descending", description = "With --sort: largest first.")
    private boolean descending;

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    @Override
    public Integer call() {
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
                                    : " that match, but %d others,"
                                            .formatted(fleet.jobs().size()),
                            kafka.address(),
                            kafka.prefix());
        } else if (json) {
            for (JobState state : chosen) {
                terminal.printJson(new Listed(state, forecast.of(state.job())));
            }
        } else {
            JobTable.rows(chosen, forecast).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }

    /// @param forecast its forecast; null if it does not wait
    private record Listed(
            @JsonUnwrapped JobState state,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            StartForecast forecast) {}

    private static boolean waits(JobState state) {
        return state.status() == Status.QUEUED || state.status() == Status.PAUSED;
    }
}
