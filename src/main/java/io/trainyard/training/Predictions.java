package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DataRoots;
import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.FetchProgress;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Targets;
import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.util.List;

/// A trained network's predictions for test samples.
///
/// @param dataset of the samples
/// @param targets each sample's true class or numbers, in the test set's order
/// @param values (samples, outputs), row-major: class probabilities or predicted numbers
public record Predictions(DatasetInfo dataset, Targets targets, float[] values) {
    /// The parameters of [#make].
    ///
    /// @param checkpoint the origin of the model, for messages
    /// @param batchSize samples at a time
    /// @param limit the number of the test set's first samples; all if it has fewer
    /// @param threads CPU threads; 0 lets the device choose
    public record Request(
            NetworkSpec network,
            DatasetSpec dataset,
            String checkpoint,
            Parameters model,
            int batchSize,
            int limit,
            int threads) {}

    /// @param roots where datasets are read
    /// @throws InvalidJobException if network and dataset do not fit
    /// @throws io.trainyard.checkpoint.CheckpointException if the model belongs to another network
    /// @throws io.trainyard.data.DatasetException if the dataset cannot be read
    public static Predictions make(Request request, DataRoots roots, Device device) {
        DatasetSpec wanted = request.dataset();
        DataRoot root = roots.of(wanted.name(), FetchProgress.IGNORED);
        DatasetInfo described = root.describe(wanted);
        PixelScale scale = Workloads.scale(wanted, described);
        Network network = Network.fit(request.network(), described.shape(), described.outputs());
        SavedModel.requireFit(
                request.checkpoint(), request.model(), request.network().label(), network.parameters());
        Dataset all = root.open(wanted);
        Dataset dataset = all.withTests(0, Math.min(request.limit(), all.test().size()));
        var unused = new OptimizerSpec.Sgd(0, 0, 0);
        int batchSize = Math.min(request.batchSize(), dataset.train().size());
        Workload workload = new Workload(
                network,
                described.loss(),
                unused,
                LoopSpec.NONE,
                batchSize,
                dataset,
                scale,
                AugmentSpec.NONE,
                Precision.FP32,
                request.threads(),
                false);
        try (LearningSession session = device.open(workload)) {
            session.load(new SessionState(request.model(), Parameters.NONE));
            return new Predictions(described, dataset.test().targets(), session.predict());
        }
    }

    public int outputs() {
        return dataset.outputs();
    }

    /// By label; empty for predicted numbers.
    public List<String> classNames() {
        return dataset.classNames();
    }

    public int size() {
        return targets.size();
    }

    /// A class's probability, or a predicted number.
    public float value(int sample, int output) {
        return values[sample * outputs() + output];
    }

    /// The class of the largest probability; the first of equals.
    public int predicted(int sample) {
        int best = 0;
        for (int c = 1; c < outputs(); c++) {
            if (value(sample, c) > value(sample, best)) {
                best = c;
            }
        }
        return best;
    }
}
