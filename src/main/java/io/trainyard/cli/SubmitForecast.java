package io.trainyard.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.FleetReader;
import io.trainyard.cli.watch.ForecastText;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.StartForecast;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.Printable;
import io.trainyard.topics.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The forecast of jobs that were just submitted: position, reason for waiting and expected start. Omitted if
/// it is not available within a short time.
final class SubmitForecast {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /// Above this number of jobs, only a summary is printed.
    private static final int MAX_LINES = 8;

    private static final int MAX_TEXT = 300;

    private final Terminal terminal;
    private final List<String> jobs;
    private final @Nullable FleetReader fleet; // null if the fleet could not be read in time
    private final Forecast forecast;

    /// A job in JSON.
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Answer(
            String job, @Nullable Status state, @Nullable StartForecast forecast) {}

    private SubmitForecast(Terminal terminal, List<String> jobs, @Nullable FleetReader fleet) {
        this.terminal = terminal;
        this.jobs = jobs;
        this.fleet = fleet;
        this.forecast = fleet == null ? Forecast.NONE : fleet.forecast(System.currentTimeMillis());
    }

    /// Reads the state of the fleet.
    ///
    /// @param rules of the projects
    /// @param jobs the submitted jobs
    static SubmitForecast of(Cluster kafka, ProjectRules rules, Terminal terminal, List<String> jobs) {
        return new SubmitForecast(terminal, jobs, look(kafka, rules).orElse(null));
    }

    /// Reads in a daemon thread because a topic may be long and must not delay the exit.
    private static Optional<FleetReader> look(Cluster kafka, ProjectRules rules) {
        CompletableFuture<FleetReader> looked = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("forecast").start(() -> {
            FleetReader reader = new FleetReader(kafka, rules, _ -> {});
            try (EventLog log = reader.openBriefly()) {
                log.readToEnd(reader::take);
                looked.complete(reader);
            } catch (RuntimeException e) { // for example, this user may write commands but not read topics
                looked.completeExceptionally(e);
            }
        });
        try {
            return Optional.of(looked.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException | TimeoutException _) {
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    void printJson() {
        for (String job : jobs) {
            JobState state = state(job);
            terminal.printJson(new Answer(job, state == null ? null : state.status(), forecast.of(job)));
        }
    }

    void printText() {
        if (fleet == null) {
            say("when %s not known yet: ./trainyard jobs"
                    .formatted(jobs.size() == 1 ? "it begins is" : "they begin is"));
        } else if (jobs.size() <= MAX_LINES) {
            jobs.forEach(job -> say(job + " " + line(job)));
        } else {
            say(summary());
        }
    }

    private String line(String job) {
        StartForecast start = forecast.of(job);
        JobState state = state(job);
        if (start != null) {
            return "waits: %s%s%s"
                    .formatted(
                            start.place() > 0 ? "place " + start.place() + ", " : "",
                            start.sentence(),
                            start.start() == null ? "" : "; begins " + ForecastText.of(start.start()));
        }
        return state == null || state.status() == Status.QUEUED
                ? "is on its topic"
                : state.status() == Status.RUNNING
                        ? "runs on " + state.worker()
                        : "was there already, %s, and is not trained again; give the new one another id"
                                .formatted(state.status().word());
    }

    private String summary() {
        List<StartForecast> waiting = new ArrayList<>();
        for (String job : jobs) {
            StartForecast start = forecast.of(job);
            if (start != null) {
                waiting.add(start);
            }
        }
        if (waiting.isEmpty()) {
            return "none of the %d jobs waits any more".formatted(jobs.size());
        }
        waiting.sort(Comparator.comparingInt(StartForecast::place));
        StartForecast first = waiting.getFirst();
        StartForecast last = waiting.getLast();
        StartForecast.Start firstStart = first.start();
        StartForecast.Start lastStart = last.start();
        return "%d of %d jobs wait, at places %d to %d: %s%s"
                .formatted(
                        waiting.size(),
                        jobs.size(),
                        first.place(),
                        last.place(),
                        last.sentence(),
                        firstStart == null || lastStart == null
                                ? ""
                                : "; the first begins %s, the last %s"
                                        .formatted(ForecastText.of(firstStart), ForecastText.of(lastStart)));
    }

    private @Nullable JobState state(String job) {
        return fleet == null ? null : fleet.book().find(job);
    }

    private void say(String line) {
        terminal.err().println(Printable.text(line, MAX_TEXT));
    }
}
