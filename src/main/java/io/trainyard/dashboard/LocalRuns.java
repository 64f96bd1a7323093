package io.trainyard.dashboard;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.RunLog;
import io.trainyard.event.RunLogLines;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import io.trainyard.tracking.Transition;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/// Reads the files of local runs ([RunLog]) into the history, as [TopicConsumer] does with topics. The position
/// in each file is in the tracking store. A run has the name of its folder.
///
/// A run that was interrupted, or whose process died, is shown as paused: `train --resume` continues it. Not
/// thread-safe.
@Singleton
class LocalRuns {
    private static final Logger LOG = Logger.getLogger(LocalRuns.class);

    private static final Optional<JobState.Status> RUNNING = Optional.of(JobState.Status.RUNNING);

    private static final String GOES_ON = "; train --resume continues it";

    private final TrackingStore store;
    private final JobHistory history;
    private final SourceStatus sources;
    private final FleetCounters counters;
    private final AlertWatch alerts;
    private final Path folder;
    private final Map<String, Run> runs = new HashMap<>();
    private boolean failing;

    /// @param size of the file when it was last read to its end
    private record Run(long size, boolean running) {}

    /// @param folder of the runs; empty for a fleet
    LocalRuns(
            TrackingStore store,
            JobHistory history,
            SourceStatus sources,
            FleetCounters counters,
            AlertWatch alerts,
            @ConfigProperty(name = "trainyard.dashboard.local") Optional<Path> folder) {
        this.store = store;
        this.history = history;
        this.sources = sources;
        this.counters = counters;
        this.alerts = alerts;
        this.folder = folder.orElse(Path.of(""));
    }

    /// Reads what is new. Errors are logged once until a look succeeds.
    void look() {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path run : folders) {
                String job = run.getFileName().toString();
                Path file = run.resolve(RunLog.FILE);
                if (JobRecord.isId(job) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    read(job, file);
                }
            }
            sources.store(true);
            sources.caughtUp();
            failing = false;
        } catch (IOException | RuntimeException e) {
            sources.store(!(e instanceof TrackingException));
            if (!failing) {
                LOG.warnf("the runs in %s cannot be read; tried again until they can: %s", folder, e);
            }
            failing = true;
        }
    }

    private void read(String job, Path file) throws IOException {
        Run known = runs.get(job);
        long size = Files.size(file);
        if (known != null && known.size() == size) {
            pauseIfDead(job, file, known);
            return;
        }
        Partition partition = partition(job, file);
        Long stored = store.offsets().get(partition);
        if (stored == null && store.isKnown(job)) { // the file was replaced
            store.forget(job);
            history.forget(List.of(job));
        }
        long from = stored == null ? 0 : stored;
        boolean running = known == null ? store.job(job).map(JobState::status).equals(RUNNING) : known.running();
        while (true) {
            RunLogLines lines = RunLogLines.read(file, job, from);
            if (lines.end() == from) {
                break;
            }
            List<Transition> transitions =
                    take(lines.records().stream().map(LocalRuns::paused).toList(), partition, lines.end());
            counters.skipped(lines.skipped());
            running = transitions.isEmpty() ? running : transitions.getLast().after() == JobState.Status.RUNNING;
            from = lines.end();
        }
        runs.put(job, new Run(size, running));
    }

    private static Partition partition(String job, Path file) throws IOException {
        return new Partition("run " + job, RunLogLines.identity(file));
    }

    private List<Transition> take(List<JobRecord> records, Partition partition, long end) {
        try {
            alerts.take(records);
            List<Transition> transitions = history.apply(records, Map.of(partition, end));
            counters.taken(records, transitions, 0);
            return transitions;
        } catch (TrackingException e) {
            throw e;
        } catch (RuntimeException e) { // train does not write such a record
            LOG.warnf("skipped unreadable records of the run %s: %s", partition.topic(), e);
            counters.skipped(records.size());
            return history.apply(List.of(), Map.of(partition, end));
        }
    }

    /// Outside a fleet nothing is requeued.
    private static JobRecord paused(JobRecord one) {
        return one instanceof EventRecord event && event.event() instanceof Released released
                ? new EventRecord(
                        new Paused(
                                released.job(), released.attempt(), released.step(), null, released.reason() + GOES_ON),
                        event.millis(),
                        null,
                        event.offset())
                : one;
    }

    /// If something was written before the process ended, it is read first.
    private void pauseIfDead(String job, Path file, Run run) throws IOException {
        if (!run.running() || RunLogLines.isWritten(file) || Files.size(file) != run.size()) {
            return;
        }
        Partition partition = partition(job, file);
        long end = store.offsets().getOrDefault(partition, 0L);
        int attempt = store.job(job).map(JobState::attempt).orElse(1);
        Paused died = new Paused(job, attempt, 0, null, "its process has died" + GOES_ON);
        long millis = Files.getLastModifiedTime(file).toMillis();
        var _ = take(List.of(new EventRecord(died, millis, null, end)), partition, end);
        runs.put(job, new Run(run.size(), false));
    }
}
