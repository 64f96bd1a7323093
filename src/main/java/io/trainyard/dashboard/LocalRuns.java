package io.trainyard.dashboard;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.RunLog;
import io.trainyard.event.RunLogLines;
import io.trainyard.event.TrainingEvent;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Reads the files of local runs ([RunLog]) into the history, as [TopicConsumer] does with topics. The position
/// in each file is in the tracking store. A run has the name of its folder.
///
/// A run that was interrupted, or whose process died, is shown as paused: `train --resume` continues it. Not
/// thread-safe.
@Singleton
class LocalRuns {
    private static final Logger LOG = Logger.getLogger(LocalRuns.class);

    private final TrackingStore store;
    private final JobHistory history;
    private final SourceStatus sources;
    private final FleetCounters counters;
    private final AlertWatch alerts;
    private final Path folder;
    private final Map<String, Run> runs = new HashMap<>();
    private boolean failing;

    /// @param size of the file when it was last read to its end
    /// @param last the last event while the run is under way; null if it is not
    private record Run(long size, @Nullable TrainingEvent last) {}

    @Inject
    LocalRuns(
            TrackingStore store,
            JobHistory history,
            SourceStatus sources,
            FleetCounters counters,
            AlertWatch alerts,
            DashboardConfig config) {
        this(store, history, sources, counters, alerts, Path.of(config.local().orElse("")));
    }

    LocalRuns(
            TrackingStore store,
            JobHistory history,
            SourceStatus sources,
            FleetCounters counters,
            AlertWatch alerts,
            Path folder) {
        this.store = store;
        this.history = history;
        this.sources = sources;
        this.counters = counters;
        this.alerts = alerts;
        this.folder = folder;
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
        TrainingEvent last = known == null ? lastOf(job) : known.last();
        while (true) {
            RunLogLines lines = RunLogLines.read(file, job, from);
            if (lines.end() == from) {
                break;
            }
            take(lines.records().stream().map(LocalRuns::paused).toList(), partition, lines.end());
            counters.skipped(lines.skipped());
            last = last(lines.records(), last);
            from = lines.end();
        }
        runs.put(job, new Run(size, last));
    }

    private static Partition partition(String job, Path file) throws IOException {
        return new Partition("run " + job, RunLogLines.identity(file));
    }

    private void take(List<JobRecord> records, Partition partition, long end) {
        try {
            alerts.take(records);
            counters.taken(records, history.apply(records, Map.of(partition, end)), 0);
        } catch (TrackingException e) {
            throw e;
        } catch (RuntimeException e) { // train does not write such a record
            LOG.warnf("skipped unreadable records of the run %s: %s", partition.topic(), e);
            counters.skipped(records.size());
            var _ = history.apply(List.of(), Map.of(partition, end));
        }
    }

    /// Outside a fleet nothing is requeued.
    private static JobRecord paused(JobRecord one) {
        return one instanceof EventRecord event && event.event() instanceof TrainingEvent.Released released
                ? new EventRecord(
                        paused(released, released.step(), released.reason()), event.millis(), null, event.offset())
                : one;
    }

    private static TrainingEvent.Paused paused(TrainingEvent event, long step, String reason) {
        return new TrainingEvent.Paused(event.job(), event.attempt(), step, null, reason);
    }

    private static @Nullable TrainingEvent last(List<JobRecord> records, @Nullable TrainingEvent before) {
        TrainingEvent last = before;
        for (JobRecord one : records) {
            if (one instanceof EventRecord event) {
                last = switch (event.event()) {
                    case TrainingEvent.Claimed _,
                            TrainingEvent.Started _,
                            TrainingEvent.StepLosses _,
                            TrainingEvent.EpochTested _,
                            TrainingEvent.CheckpointSaved _ -> event.event();
                    case TrainingEvent.Finished _,
                            TrainingEvent.Failed _,
                            TrainingEvent.Released _,
                            TrainingEvent.Paused _,
                            TrainingEvent.Resumed _,
                            TrainingEvent.Cancelled _,
                            TrainingEvent.Expanded _ -> null;
                };
            }
        }
        return last;
    }

    /// The last event of a run that an earlier process of the dashboard has read.
    private @Nullable TrainingEvent lastOf(String job) {
        List<JobRecord> records = new ArrayList<>();
        store.eachJobRecord(job, records::add);
        return last(records, null);
    }

    private void pauseIfDead(String job, Path file, Run run) throws IOException {
        if (run.last() == null || RunLogLines.isWritten(file)) {
            return;
        }
        Partition partition = partition(job, file);
        long end = store.offsets().getOrDefault(partition, 0L);
        if (Files.size(file) == run.size()) { // nothing was written before the process ended
            EventRecord died = new EventRecord(
                    paused(run.last(), 0, "its process has died; train --resume continues it"),
                    Files.getLastModifiedTime(file).toMillis(),
                    null,
                    end);
            take(List.of(died), partition, end);
            runs.put(job, new Run(run.size(), null));
        }
    }
}
