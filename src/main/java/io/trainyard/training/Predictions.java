package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DataRoot;
import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.nio.file.Path;
import java.util.List;

/// What a trained network makes of test samples.
///
/// @param classNames by label
/// @param labels each sample's true class, in the test set's order
/// @param probabilities (samples, classes), row-major
public record Predictions(List<String> classNames, int[] labels, float[] probabilities) {
    /// What is asked for.
    ///
    /// @param checkpoint where the model is from, for messages
    /// @param batchSize samples at a time
    /// @param limit how many of the test set's first samples; all of them where there are fewer
    /// @param threads CPU threads; 0 lets the device choose
    public record Request(
            NetworkSpec network,
            DatasetSpec dataset,
            String checkpoint,
            Parameters model,
            int batchSize,
            int limit,
            int threads) {}

    /// @param dataRoot the folder data sets are read from
    /// @throws InvalidJobException if network and data set do not fit
    /// @throws io.trainyard.checkpoint.CheckpointException if the model is another network's
    /// @throws io.trainyard.data.DatasetException if the data set cannot be read
    public static Predictions make(Request request, Path dataRoot, Device device) {
        DatasetSpec wanted = request.dataset();
        DataRoot root = new DataRoot(dataRoot);
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
                network, unused, batchSize, dataset, scale, AugmentSpec.NONE, Precision.FP32, request.threads());
        try (LearningSession session = device.open(workload.forTests())) {
            session.load(new SessionState(request.model(), Parameters.NONE));
            return new Predictions(described.classNames(), dataset.test().labels(), session.predict());
        }
    }

    public int classes() {
        return classNames.size();
    }

    /// How many samples there are.
    public int size() {
        return labels.length;
    }

    public int label(int sample) {
        return labels[sample];
    }

    public float probability(int sample, int label) {
        return probabilities[sample * classes() + label];
    }

    /// The class of the largest probability; the first of equals.
    public int predicted(int sample) {
        int best = 0;
        for (int c = 1; c < classes(); c++) {
            if (probability(sample, c) > probability(sample, best)) {
                best = c;
            }
        }
        return best;
    }
}
