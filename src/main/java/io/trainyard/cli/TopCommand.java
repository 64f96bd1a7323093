package io.trainyard.cli;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.LiveScreen;
import io.trainyard.cli.watch.FleetReader;
import io.trainyard.cli.watch.FleetReader.Snapshot;
import io.trainyard.cli.watch.FleetTable;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatus;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.StartForecast;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `top`: a live view of the fleet.
@Command(
        name = "top",
        description = {
            "Shows workers and jobs, updated every second.",
            "q or Ctrl+C quits. Without a terminal, the output is printed once."
        },
        footer = {
            "  ./trainyard top --sort left",
            "  ./trainyard top --json | jq '.waiting | to_entries[0]'",
        })
public final class TopCommand extends FleetCommand {
    private static final long REDRAW_NANOS = Duration.ofSeconds(1).toNanos();

    /// The forecast may use one fifth of the time.
    private static final int SHARE = 5;

    /// The interval after which missing topics are looked up again.
    private static final long REOPEN_NANOS = Duration.ofSeconds(10).toNanos();

    /// The maximum number of lines per table in output without a screen.
    private static final int MOST = 10_000;

    /// The number of other lines on the screen: headline, titles, empty lines and the counts of hidden rows.
    private static final int BESIDES = 11;

    @Option(names = "--once", description = "Print the fleet once.")
    private boolean once;

    @Option(names = "--json", description = "Print the fleet once, as a JSON object.")
    private boolean json;

    @Option(
            names = "--sort",
            paramLabel = "BY",
            description =
                    "Order of running jobs (default: submission): job, start, loss (highest first), speed (fastest first) or left (soonest end first).")
    private @Nullable TopOrder order;

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    private Forecast forecast = Forecast.NONE;
    private long lookNanos = System.nanoTime();
    private long drawNanos = System.nanoTime();

    @Override
    public Integer call() {
        if (!json && !once && terminal.interactive()) {
            live();
            return ExitCodes.OK;
        }
        FleetReader fleet = new FleetReader(kafka.cluster(), projects.rules(), terminal.err()::println);
        try (EventLog log = fleet.openBriefly()) {
            log.readToEnd(fleet::take);
        }
        long now = System.currentTimeMillis();
        Snapshot snapshot = fleet.snapshot(fleet.forecast(now), now);
        if (json) {
            terminal.printJson(Row.of(snapshot, running(snapshot)));
        } else {
            FleetTable.lines(snapshot, running(snapshot), MOST).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }

    private void live() {
        boolean goesOn = true;
        LiveScreen screen = null;
        Thread hook = null;
        try {
            while (goesOn) {
                FleetReader fleet = new FleetReader(kafka.cluster(), projects.rules(), _ -> {});
                try (EventLog log = fleet.openBriefly()) {
                    log.readToEnd(fleet::take);
                    if (screen == null) { // errors before this are printed on the normal screen
                        screen = new LiveScreen(terminal.out());
                        hook = new Thread(screen::close, "screen");
                        Runtime.getRuntime().addShutdownHook(hook);
                    }
                    goesOn = follow(log, fleet, screen);
                }
            }
        } finally {
            if (screen != null) {
                screen.close();
                remove(hook);
            }
        }
    }

    /// @return whether to continue with topics that were missing
    private boolean follow(EventLog log, FleetReader fleet, LiveScreen screen) {
        boolean whole = log.has(Topic.WORKERS) && log.has(Topic.JOBS);
        long reopenNanos = System.nanoTime() + REOPEN_NANOS;
        boolean[] quits = new boolean[1];
        log.follow(fleet::take, () -> {
            quits[0] = screen.quits();
            draw(fleet, screen);
            return !quits[0] && (whole || System.nanoTime() - reopenNanos < 0);
        });
        return !quits[0];
    }

    private void draw(FleetReader fleet, LiveScreen screen) {
        long beganNanos = System.nanoTime();
        if (beganNanos - drawNanos < 0) {
            return;
        }
        long now = System.currentTimeMillis();
        if (beganNanos - lookNanos >= 0) {
            forecast = fleet.forecast(now);
            lookNanos = beganNanos + SHARE * (System.nanoTime() - beganNanos);
        }
        Snapshot snapshot = fleet.snapshot(forecast, now);
        screen.draw(FleetTable.lines(snapshot, running(snapshot), Math.max(2, (screen.height() - BESIDES) / 3)));
        drawNanos = beganNanos + REDRAW_NANOS;
    }

    private List<JobState> running(Snapshot snapshot) {
        List<JobState> running = snapshot.running();
        return order == null
                ? running
                : running.stream().sorted(order.comparator()).toList();
    }

    private static void remove(@Nullable Thread hook) {
        try {
            if (hook != null) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IllegalStateException _) { // the process is exiting and the hook is already running
        }
    }

    /// The fleet as JSON.
    ///
    /// @param jobs number of jobs by status
    /// @param waiting forecasts by job, in order
    private record Row(
            long atMillis,
            List<WorkerStatus> workers,
            Map<Status, Long> jobs,
            List<Running> running,
            Map<String, StartForecast> waiting) {
        static Row of(Snapshot fleet, List<JobState> running) {
            Map<Status, Long> jobs = new EnumMap<>(Status.class);
            for (Status status : Status.values()) {
                jobs.put(status, fleet.count(status));
            }
            Map<String, StartForecast> waiting = new LinkedHashMap<>();
            fleet.waiting().forEach(forecast -> waiting.put(forecast.job(), forecast));
            return new Row(
                    fleet.atMillis(),
                    fleet.workers(),
                    jobs,
                    running.stream().map(Running::of).toList(),
                    waiting);
        }
    }

    private record Running(
            String job,
            @Nullable String worker,
            @Nullable String device,
            long step,
            long steps,
            @Nullable Float loss,
            double samplesPerSecond,
            long remainingMicros) {
        static Running of(JobState job) {
            return new Running(
                    job.job(),
                    job.worker(),
                    job.device(),
                    job.step(),
                    job.steps(),
                    job.loss(),
                    job.samplesPerSecond(),
                    job.remainingMicros());
        }
    }
}
