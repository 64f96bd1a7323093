package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.device.Initializer;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where an attempt begins.
///
/// @param progress how far the job is
/// @param source the checkpoint that the weights are of, where it is another job's
record StartingPoint(
        SessionState state, Progress progress, @Nullable SavedModel source) {
    /// @param newest the job's own newest checkpoint, which comes before all else
    /// @throws io.trainyard.checkpoint.CheckpointException if the checkpoint to start from is not there, or is of
    ///     another network
    static StartingPoint of(JobSpec job, Network network, JobFolder folder, Optional<Checkpoint> newest) {
        if (newest.isPresent()) {
            return new StartingPoint(newest.get().state(), newest.get().progress(), null);
        }
        TorchRandom random = new TorchRandom(job.seed());
        // Also drawn where they are not used: a PyTorch script makes its network before it loads a state_dict into it.
        Parameters drawn = Initializer.initial(network, random);
        CheckpointName initFrom = job.initFrom();
        SavedModel source = initFrom == null ? null : model(initFrom, job, network, folder);
        Parameters model = source == null ? drawn : source.parameters();
        return new StartingPoint(new SessionState(model, Parameters.NONE), Progress.beginning(random.state()), source);
    }

    private static SavedModel model(CheckpointName name, JobSpec job, Network network, JobFolder folder) {
        SavedModel model = folder.source(name);
        model.requireFit(job.network().label(), network.parameters());
        return model;
    }
}
