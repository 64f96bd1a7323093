package io.trainyard.dashboard;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.SavedModel;
import jakarta.inject.Singleton;
import java.io.InputStream;
import java.net.URI;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// Access to the models of jobs, if the dashboard can read the workers' store.
@Singleton
public class SavedModels {
    private final URI root;

    SavedModels(@ConfigProperty(name = "trainyard.checkpoints") String root) {
        this.root = URI.create(root);
    }

    /// Opens a file about a finished job, such as its predictions; empty if there is none.
    ///
    /// @param job a known job's id
    /// @param name of a file that workers write, never text from a request
    /// @throws CheckpointException if the store cannot be read
    public Optional<InputStream> result(String job, String name) {
        return new JobFolder(CheckpointStore.openToRead(root), job).result(name);
    }

    /// Opens a model file. The path is derived from job, step and attempt only, never from text in an event.
    ///
    /// @throws CheckpointException if the store cannot be read or the checkpoint was deleted
    public InputStream open(String job, JobTimeline.Checkpoint saved) {
        CheckpointStore store = CheckpointStore.openToRead(root);
        return SavedModel.open(store, job, saved.step(), saved.attempt())
                .orElseThrow(() -> new CheckpointException(
                        "job %s has no checkpoint of attempt %d after step %d in %s any more; the job's keepLast may have removed it, or the workers have another store than this dashboard (--checkpoints)"
                                .formatted(job, saved.attempt(), saved.step(), store.uri(job))));
    }
}
