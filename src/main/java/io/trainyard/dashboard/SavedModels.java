package io.trainyard.dashboard;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.SavedModel;
import jakarta.inject.Singleton;
import java.io.InputStream;
import java.net.URI;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// The models that jobs have saved, where the dashboard reaches the workers' store.
@Singleton
public class SavedModels {
    private final URI root;

    SavedModels(@ConfigProperty(name = "trainyard.checkpoints") String root) {
        this.root = URI.create(root);
    }

    /// A model file's bytes. Where it lies is told by the job, step and attempt, and by nothing that an event says.
    ///
    /// @throws CheckpointException if the store cannot be read here, or holds it no more
    public InputStream open(String job, JobTimeline.Checkpoint saved) {
        CheckpointStore store = CheckpointStore.openToRead(root);
        return SavedModel.open(store, job, saved.step(), saved.attempt())
                .orElseThrow(() -> new CheckpointException(
                        "job %s has no checkpoint of attempt %d after step %d in %s any more; the job's keepLast may have removed it, or the workers have another store than this dashboard (--checkpoints)"
                                .formatted(job, saved.attempt(), saved.step(), store.uri(job))));
    }
}
