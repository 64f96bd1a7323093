package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DataRoots;
import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.FetchProgress;
import io.trainyard.data.NewSamples;
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
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/// A trained network's predictions.
///
/// @param dataset of the samples, or of the training
/// @param names the samples' files, or the numbers of rows; empty: they have none
/// @param targets each sample's true class or numbers, in the test set's order
/// @param values (samples, outputs), row-major: class probabilities or predicted numbers
public record Predictions(DatasetInfo dataset, List<String> names, Targets targets, float[] values) {
    /// The parameters of [#make].
    ///
    /// @param checkpoint the origin of the model, for messages
    /// @param batchSize samples at a time
    /// @param limit the number of the first samples; all if there are fewer
    /// @param threads CPU threads; 0 lets the device choose
    public record Request(
            NetworkSpec network,
            DatasetSpec dataset,
            String checkpoint,
            Parameters model,
            int batchSize,
            int limit,
            int threads) {}

    /// Predictions for the test set.
    ///
    /// @param roots where datasets are read
    /// @throws InvalidJobException if network and dataset do not fit
    /// @throws io.trainyard.checkpoint.CheckpointException if the model belongs to another network
    /// @throws io.trainyard.data.DatasetException if the dataset cannot be read
    public static Predictions make(Request request, DataRoots roots, Device device) {
        DataRoot root = roots.of(request.dataset().name(), FetchProgress.IGNORED);
        DatasetInfo described = root.describe(request.dataset());
        Network network = network(request, described);
        Dataset all = root.open(request.dataset());
        Dataset dataset = all.withTests(0, Math.min(request.limit(), all.test().size()));
        return new Predictions(
                described,
                dataset.test().files(),
                dataset.test().targets(),
                values(request, described, network, dataset, device));
    }

    /// Predictions for images that are not in the dataset, in parts of bounded size.
    ///
    /// @param images their folder
    /// @param skipped receives a sentence for each file that is left out
    public static void ofImages(
            Request request,
            Path images,
            DataRoots roots,
            Device device,
            Consumer<Predictions> parts,
            Consumer<String> skipped) {
        DataRoot root = roots.of(request.dataset().name(), FetchProgress.IGNORED);
        root.readImages(request.dataset(), images, request.limit(), each(request, root, device, parts), skipped);
    }

    /// Predictions for the rows of a table that is not in the dataset, in parts of bounded size.
    public static void ofRows(
            Request request, Path table, DataRoots roots, Device device, Consumer<Predictions> parts) {
        DataRoot root = roots.of(request.dataset().name(), FetchProgress.IGNORED);
        root.readRows(request.dataset(), table, request.limit(), each(request, root, device, parts));
    }

    private static Consumer<NewSamples.Part> each(
            Request request, DataRoot root, Device device, Consumer<Predictions> parts) {
        DatasetInfo described = root.describe(request.dataset());
        Network network = network(request, described);
        return part -> {
            int samples = part.names().size();
            Targets none = described.classNames().isEmpty()
                    ? new Targets.Numbers(new float[samples * described.outputs()], described.outputs())
                    : new Targets.ClassLabels(new int[samples]);
            Dataset.Split split = new Dataset.Split(part.samples(), none);
            Dataset dataset = new Dataset(described.name(), described.shape(), described.outputs(), split, split);
            float[] values = values(request, described, network, dataset, device);
            parts.accept(new Predictions(described, part.names(), part.targets(), values));
        };
    }

    private static Network network(Request request, DatasetInfo described) {
        var _ = Workloads.scale(request.dataset(), described); // reports a wrong number of channels
        Network network = Network.fit(request.network(), described.shape(), described.outputs());
        SavedModel.requireFit(
                request.checkpoint(), request.model(), request.network().label(), network.parameters());
        return network;
    }

    private static float[] values(
            Request request, DatasetInfo described, Network network, Dataset dataset, Device device) {
        Workload workload = new Workload(
                network,
                described.loss(),
                new OptimizerSpec.Sgd(0, 0, 0),
                LoopSpec.NONE,
                Math.min(request.batchSize(), dataset.train().size()),
                dataset,
                Workloads.scale(request.dataset(), described),
                AugmentSpec.NONE,
                Precision.FP32,
                request.threads(),
                false);
        try (LearningSession session = device.open(workload)) {
            session.load(new SessionState(request.model(), Parameters.NONE));
            return session.predict();
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

    /// The title of the samples' names: `file`, or `index` for rows and for samples without a file.
    public String title() {
        return names.isEmpty() || names.getFirst().chars().allMatch(Character::isDigit) ? "index" : "file";
    }

    /// The sample's file or row, or its index in the test set.
    public String name(int sample) {
        return names.isEmpty() ? Integer.toString(sample) : names.get(sample);
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
