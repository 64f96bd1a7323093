package io.trainyard.dashboard;

import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Datasets;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.util.Optional;

/// How much arithmetic a job's training is.
final class TrainingFlops {
    private static final long FLOPS_PER_MULTIPLY_ADD = 2;

    private TrainingFlops() {}

    /// Floating-point operations of one image's part in a step: those of convolutions and products with a matrix,
    /// forward and backward. Norms, activations, poolings, the loss and the update are not counted.
    ///
    /// @return empty of a job that trains nothing, and where the data set is not known here or the network does not
    ///     fit it
    static Optional<Long> perImage(JobSpec job) {
        String dataset = job.dataset().name();
        if (job.kind() != JobKind.TRAIN || !Datasets.names().contains(dataset)) {
            return Optional.empty();
        }
        DatasetInfo info = Datasets.describe(dataset);
        try {
            Network network = Network.fit(job.network(), info.shape(), info.classes());
            return Optional.of(FLOPS_PER_MULTIPLY_ADD * network.trainingMultiplyAdds());
        } catch (InvalidJobException _) { // it was refused
            return Optional.empty();
        }
    }
}
