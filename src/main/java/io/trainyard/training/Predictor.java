package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DataRoots;
import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.FetchProgress;
import io.trainyard.data.NewSamples;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Targets;
import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.TargetScale;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Predicts with a trained network on a device.
///
/// @param roots where datasets are read
public record Predictor(Request request, DataRoots roots, Device device) {
    /// What is predicted with which network.
    ///
    /// @param dataset of the training
    /// @param checkpoint the origin of the model, for messages
    /// @param targets the scale of what the model predicts; null: as in the dataset
    /// @param batchSize samples at a time
    /// @param limit the number of the first samples; all if there are fewer
    /// @param threads CPU threads; 0 lets the device choose
    public record Request(
            NetworkSpec network,
            DatasetSpec dataset,
            String checkpoint,
            Parameters model,
            @Nullable TargetScale targets,
            int batchSize,
            int limit,
            int threads) {
        /// The network of the model, fitted to the dataset.
        ///
        /// @throws io.trainyard.spec.InvalidJobException if network and dataset do not fit
        /// @throws io.trainyard.checkpoint.CheckpointException if the model belongs to another network
        public Network network(DatasetInfo described) {
            var _ = scale(described); // reports a wrong number of channels
            Network fitted = Network.fit(network, described.shape(), described.outputs());
            SavedModel.requireFit(checkpoint, model, network.label(), fitted.parameters());
            return fitted;
        }

        public PixelScale scale(DatasetInfo described) {
            return Workloads.scale(dataset, described);
        }
    }

    /// Predictions for the test set.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if network and dataset do not fit
    /// @throws io.trainyard.checkpoint.CheckpointException if the model belongs to another network
    /// @throws io.trainyard.data.DatasetException if the dataset cannot be read
    public Predictions ofTests() {
        DatasetInfo described = root().describe(request.dataset());
        Network network = request.network(described);
        Dataset all = root().open(request.dataset());
        Dataset dataset = all.withTests(0, Math.min(request.limit(), all.test().size()));
        Dataset.Split test = dataset.test();
        return new Predictions(described, test.files(), test.targets(), values(described, network, dataset));
    }

    /// Predictions for images that are not in the dataset, in parts of bounded size.
    ///
    /// @param images their folder
    /// @param skipped receives a sentence for each file that is left out
    public void ofImages(Path images, Consumer<Predictions> parts, Consumer<String> skipped) {
        root().readImages(request.dataset(), images, request.limit(), each(parts), skipped);
    }

    /// Predictions for the rows of a table that is not in the dataset, in parts of bounded size.
    public void ofRows(Path table, Consumer<Predictions> parts) {
        root().readRows(request.dataset(), table, request.limit(), each(parts));
    }

    private DataRoot root() {
        return roots.of(request.dataset().name(), FetchProgress.IGNORED);
    }

    private Consumer<NewSamples.Part> each(Consumer<Predictions> parts) {
        DatasetInfo described = root().describe(request.dataset());
        Network network = request.network(described);
        return part -> {
            int samples = part.names().size();
            Targets none = described.classNames().isEmpty()
                    ? new Targets.Numbers(new float[samples * described.outputs()], described.outputs())
                    : new Targets.ClassLabels(new int[samples]);
            Dataset.Split split = new Dataset.Split(part.samples(), none);
            Dataset dataset = new Dataset(described.name(), described.shape(), described.outputs(), split, split);
            float[] values = values(described, network, dataset);
            parts.accept(new Predictions(described, part.names(), part.targets(), values));
        };
    }

    private float[] values(DatasetInfo described, Network network, Dataset dataset) {
        Workload workload = new Workload(
                network,
                described.loss(),
                new OptimizerSpec.Sgd(0, 0, 0),
                LoopSpec.NONE,
                Math.min(request.batchSize(), dataset.train().size()),
                dataset,
                request.scale(described),
                AugmentSpec.NONE,
                Precision.FP32,
                request.threads(),
                false);
        try (LearningSession session = device.open(workload)) {
            session.load(new SessionState(request.model(), Parameters.NONE));
            return TargetScale.original(request.targets(), session.predict());
        }
    }
}
