package io.trainyard.dashboard;

import io.trainyard.export.LiveTensorBoardExporter;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jboss.logging.Logger;

/// Writes TensorBoard event files if a folder is configured. Used by one thread.
@Singleton
class TensorBoardFiles {
    private static final Logger LOG = Logger.getLogger(TensorBoardFiles.class);

    private final JobHistory history;
    private final Optional<LiveTensorBoardExporter> sink;
    private long version;
    private boolean failing;

    TensorBoardFiles(JobHistory history, TrackingStore store, DashboardConfig config) {
        this.history = history;
        sink = config.tensorboard().map(folder -> new LiveTensorBoardExporter(store, Path.of(folder)));
    }

    void append() {
        if (sink.isEmpty()) {
            return;
        }
        LiveUpdate update = history.since(version);
        try {
            for (JobSummary job : update.jobs()) {
                sink.get().append(job.job());
            }
            version = update.version();
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                LOG.warnf("event files for TensorBoard cannot be written; tried again until it works: %s", e);
            }
            failing = true;
        }
    }
}
