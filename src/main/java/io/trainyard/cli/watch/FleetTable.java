package io.trainyard.cli.watch;

import static io.trainyard.cli.watch.TableColumns.NOTHING;
import static io.trainyard.cli.watch.TableColumns.of;
import static java.util.Locale.ROOT;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.TableColumns.Column;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Reading;
import io.trainyard.forecast.StartForecast;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A fleet at a moment as lines for people: its workers, what runs, what waits.
public final class FleetTable {
    private static final List<Column<WorkerStatus>> WORKERS = List.of(
            new Column<>("WORKER", 24, false, WorkerStatus::worker),
            new Column<>("DEVICE", 16, false, WorkerStatus::device),
            new Column<>("SLOTS", 9, true, worker -> worker.jobs().size() + "/" + worker.slots()),
            new Column<>("IMAGES/S", 12, true, worker -> rate(worker.samplesPerSecond())),
            new Column<>("READINGS", 48, false, FleetTable::readings),
            new Column<>("JOBS", 60, false, FleetTable::doing));

    private static final List<Column<JobState>> RUNNING = List.of(
            new Column<>("JOB", 32, false, JobState::job),
            new Column<>("WORKER", 24, false, job -> of(job.worker(), worker -> worker)),
            new Column<>("DEVICE", 16, false, job -> of(job.device(), device -> device)),
            new Column<>("STEP", 24, true, job -> job.steps() == 0 ? NOTHING : job.step() + "/" + job.steps()),
            new Column<>("DONE", 5, true, FleetTable::done),
            new Column<>("LOSS", 12, true, job -> of(job.loss(), loss -> String.format(ROOT, "%.4f", loss))),
            new Column<>("IMAGES/S", 12, true, job -> rate(job.samplesPerSecond())),
            new Column<>(
                    "LEFT",
                    10,
                    true,
                    job -> job.remainingMicros() == 0 ? NOTHING : Terminal.clock(job.remainingMicros())));

    private static final List<Column<StartForecast>> WAITING = List.of(
            JobTable.PLACE, new Column<>("JOB", 32, false, StartForecast::job), JobTable.BEGINS, JobTable.BECAUSE);

    private FleetTable() {}

    /// @param running in display order
    /// @param most maximum number of lines of each table; the number of omitted ones is added
    public static List<String> lines(FleetReader.Snapshot fleet, List<JobState> running, int most) {
        List<String> lines = new ArrayList<>(List.of(headline(fleet)));
        List<StartForecast> waiting = fleet.waiting();
        add(lines, WORKERS, fleet.workers(), most);
        add(lines, RUNNING, running, most);
        add(lines, WAITING, waiting, most);
        return lines;
    }

    private static <T> void add(List<String> lines, List<Column<T>> columns, List<T> all, int most) {
        if (!all.isEmpty()) {
            lines.add("");
            lines.addAll(TableColumns.rows(columns, all.subList(0, Math.min(most, all.size()))));
            if (all.size() > most) {
                lines.add("and %d more".formatted(all.size() - most));
            }
        }
    }

    private static String headline(FleetReader.Snapshot fleet) {
        long busy = fleet.workers().stream()
                .filter(worker -> !worker.jobs().isEmpty())
                .count();
        String jobs = Arrays.stream(Status.values())
                .filter(status -> fleet.count(status) > 0)
                .map(status -> fleet.count(status) + " " + status.word())
                .collect(Collectors.joining(", "));
        double rate = fleet.workers().stream()
                .mapToDouble(WorkerStatus::samplesPerSecond)
                .sum();
        return "%s  %d workers, %d busy; jobs: %s; %s samples/s"
                .formatted(
                        Instant.ofEpochMilli(fleet.atMillis() / 1000 * 1000),
                        fleet.workers().size(),
                        busy,
                        jobs.isEmpty() ? "none" : jobs,
                        rate(rate));
    }

    private static String rate(double samplesPerSecond) {
        return samplesPerSecond <= 0 ? NOTHING : String.format(ROOT, "%,.0f", samplesPerSecond);
    }

    private static String done(JobState job) {
        return job.steps() == 0 ? NOTHING : 100 * job.step() / job.steps() + " %";
    }

    private static String doing(WorkerStatus worker) {
        String jobs = worker.jobs().stream().map(WorkerStatus.Job::job).collect(Collectors.joining(", "));
        String idle = worker.problem() == null ? "idle" : "claims no jobs: " + worker.problem();
        return jobs.isEmpty() ? idle : jobs;
    }

    /// The state of its GPUs, if their driver reports it.
    private static String readings(WorkerStatus worker) {
        List<Reading> readings = Objects.requireNonNullElse(worker.readings(), List.of());
        return readings.isEmpty()
                ? NOTHING
                : readings.stream().map(FleetTable::reading).collect(Collectors.joining("; "));
    }

    private static String reading(Reading reading) {
        List<String> values = new ArrayList<>();
        add(values, "%.0f %%", reading.utilization() == null ? null : 100 * reading.utilization());
        add(values, "%.1f GiB", reading.memoryUsedBytes() == null ? null : reading.memoryUsedBytes() / 0x1p30);
        add(values, "%.0f W", reading.powerWatts());
        add(values, "%.0f °C", reading.temperatureCelsius());
        return values.isEmpty() ? NOTHING : String.join(" ", values);
    }

    private static void add(List<String> values, String format, @Nullable Double value) {
        if (value != null) {
            values.add(String.format(ROOT, format, value));
        }
    }
}
