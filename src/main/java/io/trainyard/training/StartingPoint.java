package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointException;
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
import io.trainyard.spec.Metric;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.TargetScale;
import java.util.List;
import java.util.Objects;
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
    static StartingPoint of(Attempt attempt, Workloads.Prepared prepared, Optional<Checkpoint> newest) {
        Workload workload = prepared.workload();
        Network network = workload.network();
        if (newest.isPresent()) {
            return new StartingPoint(newest.get().state(), newest.get().progress(), null);
        }
        JobSpec job = attempt.job();
        if (job.continueFrom() != null) {
            Checkpoint saved = attempt.folder().continued(job.continueFrom());
            requireScale(prepared, job.continueFrom(), saved.targets());
            return continued(job, workload, job.continueFrom(), saved);
        }
        TorchRandom random = new TorchRandom(job.seed());
        // Drawn even if unused: a PyTorch script creates its network before it loads a state_dict into it.
        Parameters drawn = Initializer.initial(network, random);
        CheckpointName initFrom = job.initFrom();
        SavedModel source = initFrom == null ? null : attempt.folder().source(initFrom);
        boolean evaluates = job.kind() == JobKind.EVALUATE;
        if (source != null
                && evaluates
                && (source.targets() != null || !source.name().isFile())) {
            requireScale(prepared, source.name(), source.targets());
        }
        Parameters model = source == null
                ? drawn
                : StateDict.load(source, job.network().label(), network.parameters(), drawn, job::keepsRandom);
        return new StartingPoint(
                new SessionState(model, Parameters.NONE),
                Progress.beginning(random.state()).withMetric(job.metric(), Double.NaN, Double.NaN),
                source);
    }

    private static void requireScale(Workloads.Prepared prepared, CheckpointName name, @Nullable TargetScale saved) {
        if (!Objects.equals(prepared.targets(), saved)) {
            throw new CheckpointException(
                    "%s was trained with targets %s, and this job's are %s; use its dataset, with the same split and standardizeTargets"
                            .formatted(name, inWords(saved), inWords(prepared.targets())));
        }
    }

    private static String inWords(@Nullable TargetScale scale) {
        return scale == null
                ? "as in the dataset"
                : "standardized by the means %s and deviations %s".formatted(scale.mean(), scale.std());
    }

    private static StartingPoint continued(JobSpec job, Workload workload, CheckpointName name, Checkpoint saved) {
        Progress at = saved.progress();
        if (at.epoch() >= job.epochs()) {
            throw new CheckpointException(
                    "epochs is %d, and %s has trained %d already; epochs is the number of all epochs"
                            .formatted(job.epochs(), name, at.epoch()));
        }
        String needed = "continueFrom needs the same network, dataset, batchSize and type of optimizer";
        if (at.metric() != job.metric()) {
            throw new CheckpointException(
                    "metric is \"%s\", but the best test of %s is that by \"%s\"; continueFrom needs the same metric, and initFrom does not"
                            .formatted(
                                    job.decidingMetric(),
                                    name,
                                    Objects.requireNonNullElse(
                                            at.metric(), Metric.usual(job.loss().isRegression()))));
        }
        if (at.step() - at.stepOfEpoch() != (long) at.epoch() * workload.stepsPerEpoch()) {
            throw new CheckpointException("%s has trained %d steps in %d epochs, and this job has %d steps in each; %s"
                    .formatted(name, at.step() - at.stepOfEpoch(), at.epoch(), workload.stepsPerEpoch(), needed));
        }
        try {
            List<ParameterSpec> parameters = workload.network().parameters();
            saved.state().model().requireMatch(parameters);
            saved.state().optimizer().requireMatch(job.update().state(parameters));
        } catch (IllegalArgumentException e) {
            throw new CheckpointException(
                    "the state of %s does not fit: %s; %s".formatted(name, e.getMessage(), needed), e);
        }
        return new StartingPoint(saved.state(), at, null);
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
                prepared.validates() ? workload.dataset().test().size() : null,
                prepared.samples().test().size(),
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
