package io.trainyard.dashboard;

import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Datasets;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Shape;
import java.util.Optional;

final class TrainingFlops {
    private static final long FLOPS_PER_MULTIPLY_ADD = 2;

    private TrainingFlops() {}

    /// Floating-point operations of one sample in a step: convolutions and matrix products, forward and
    /// backward. Norms, activations, poolings, the loss and the optimizer are not counted.
    ///
    /// @return empty if the job trains nothing, if the dataset is unknown, or if the network does not fit it
    static Optional<Long> perSample(JobState state) {
        JobSpec job = state.spec();
        if (job == null || job.kind() != JobKind.TRAIN) {
            return Optional.empty();
        }
        TrainingEvent.Dataset dataset = state.dataset();
        if (dataset != null) {
            return perSample(job, dataset.shape(), state.classes());
        }
        Optional<DatasetInfo> builtIn = Datasets.find(job.dataset().name());
        return builtIn.flatMap(info -> perSample(job, info.shape(), info.outputs()));
    }

    private static Optional<Long> perSample(JobSpec job, Shape sample, int outputs) {
        try {
            Network network = Network.of(job, sample, outputs);
            return Optional.of(FLOPS_PER_MULTIPLY_ADD * network.trainingMultiplyAdds());
        } catch (InvalidJobException _) { // it was rejected
            return Optional.empty();
        }
    }
}
