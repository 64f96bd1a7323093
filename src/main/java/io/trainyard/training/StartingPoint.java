package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.checkpoint.StateDict;
import io.trainyard.data.DatasetInfo;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where an attempt begins.
///
/// @param progress of the job so far
/// @param source the checkpoint of the weights, if it is another job's
record StartingPoint(
        SessionState state, Progress progress, @Nullable SavedModel source) {
    /// @param newest the job's own newest checkpoint, which takes precedence
    /// @throws io.trainyard.checkpoint.CheckpointException if the checkpoint to start from is missing or
    ///     belongs to another network
    static StartingPoint of(Attempt attempt, Network network, Optional<Checkpoint> newest) {
        if (newest.isPresent()) {
            return new StartingPoint(newest.get().state(), newest.get().progress(), null);
        }
        JobSpec job = attempt.job();
        TorchRandom random = new TorchRandom(job.seed());
        // Drawn even if unused: a PyTorch script creates its network before it loads a state_dict into it.
        Parameters drawn = Initializer.initial(network, random);
        CheckpointName initFrom = job.initFrom();
        SavedModel source = initFrom == null ? null : attempt.folder().source(initFrom);
        Parameters model = source == null
                ? drawn
                : StateDict.load(source, job.network().label(), network.parameters(), drawn, job::keepsRandom);
        return new StartingPoint(new SessionState(model, Parameters.NONE), Progress.beginning(random.state()), source);
    }

    /// The event for the beginning of the attempt.
    ///
    /// @param device of the attempt
    Started event(Attempt attempt, Workloads.Prepared prepared, LearningSession session, DeviceInfo device) {
        Workload workload = prepared.workload();
        DatasetInfo dataset = prepared.dataset();
        List<TrainingEvent.Parameter> parameters = workload.network().parameters().stream()
                .map(p -> new TrainingEvent.Parameter(p.name(), p.shape(), device.name()))
                .toList();
        JobSpec job = attempt.job();
        return new Started(
                job.id(),
                attempt.number(),
                job,
                device.name(),
                device.model(),
                session.threads(),
                workload.dataset().train().size(),
                workload.dataset().test().size(),
                workload.dataset().outputs(),
                progress.step() + 1,
                job.kind() == JobKind.TRAIN ? workload.stepsPerEpoch() : 0,
                parameters,
                attempt.folder().source().orElse(null),
                new TrainingEvent.Dataset(
                        dataset.shape(),
                        dataset.classNames(),
                        workload.dataset().warnings()));
    }
}
