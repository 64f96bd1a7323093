package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.SafeTensors;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.Datasets;
import io.trainyard.device.Parameters;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.TargetScale;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A saved model given by the path of a model file or by a checkpoint name.
///
/// @param checkpoint for messages
/// @param targets the scale of what it predicts, for regression; null: as in the dataset
/// @param spec the job that saved it, if known
/// @param run the run of a job that `train` ran several times; null if there is no choice
record ModelSource(
        String checkpoint,
        Parameters model,
        @Nullable TargetScale targets,
        Optional<JobSpec> spec,
        @Nullable String run) {
    static final String MODEL_FILE = ".safetensors";
    private static final JsonMapper MAPPER = new JsonMapper();

    /// @param store the store in which names are looked up
    /// @throws CheckpointException if the model does not exist
    /// @throws InvalidJobException if the text is neither a path nor a name
    static ModelSource find(String checkpoint, URI store) {
        if (checkpoint.endsWith(MODEL_FILE)) {
            Path file = Path.of(checkpoint);
            SafeTensors read = SavedModel.read(file);
            return new ModelSource(checkpoint, read.tensors(), TargetScale.of(read.metadata()), specBeside(file), null);
        }
        CheckpointName name;
        try {
            name = CheckpointName.parse("the checkpoint", checkpoint);
        } catch (InvalidJobException e) {
            throw new InvalidJobException(e.getMessage() + ", or the path of a file that ends in " + MODEL_FILE, e);
        }
        CheckpointStore opened = CheckpointStore.openToRead(store);
        SavedModel found = SavedModel.find(opened, name);
        String run = found.name().job();
        Optional<JobSpec> spec = new JobFolder(opened, run).spec().map(JobJson::read);
        return new ModelSource(
                found.name().toString(),
                found.parameters(),
                found.targets(),
                spec,
                run.equals(name.job()) || name.job().contains("~") ? null : run);
    }

    /// `<job>/checkpoints/step-<n>-<attempt>.safetensors` belongs to `<job>/spec.json`.
    private static Optional<JobSpec> specBeside(Path file) {
        Path folder = file.toAbsolutePath().normalize().getParent();
        Path job = folder == null ? null : folder.getParent();
        if (job == null) {
            return Optional.empty();
        }
        Path spec = job.resolve("spec.json");
        try {
            return Optional.of(JobJson.read(Files.readAllBytes(spec)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | InvalidJobException e) {
            throw new CheckpointException(
                    "%s, the job next to the checkpoint, cannot be read: %s".formatted(spec, e.getMessage()), e);
        }
    }

    /// Creates a job with the network and the dataset of a prediction.
    ///
    /// @param network a built-in network's name or a network file; null for the job's network
    /// @param dataset a dataset's name, which is normalized like the job's dataset, or JSON; null for the job's
    ///     dataset
    /// @throws InvalidJobException if one is missing or invalid
    JobSpec ask(@Nullable String network, @Nullable String dataset, InputStream standardInput) {
        ObjectNode job = MAPPER.createObjectNode().put("id", "predict").put("epochs", 1);
        JsonNode saved =
                spec.map(known -> json("the job's spec", JobJson.write(known))).orElseGet(MAPPER::createObjectNode);
        if (network == null && saved.path("network").isMissingNode()) {
            throw new InvalidJobException(
                    "there is no spec.json next to %s that names its network; name it with --network, one of %s or a file"
                            .formatted(checkpoint, String.join(", ", BuiltInNetworks.names())));
        }
        job.set("network", network == null ? saved.path("network") : network(network, standardInput));
        if (dataset == null && saved.path("dataset").isMissingNode()) {
            throw new InvalidJobException(
                    "there is no spec.json next to %s that names its dataset; name it with --dataset, one of %s"
                            .formatted(checkpoint, String.join(", ", Datasets.names())));
        }
        JsonNode set = dataset == null ? saved.path("dataset") : dataset(dataset, saved.path("dataset"));
        if (set instanceof ObjectNode object) {
            object.remove("standardizeTargets"); // it has no loss, and the checkpoint has the scale
        }
        job.set("dataset", set);
        return JobJson.read(job);
    }

    private static JsonNode network(String network, InputStream standardInput) {
        boolean isFile = network.contains(".") || network.contains("/") || network.equals(JobFiles.STANDARD_INPUT);
        if (!isFile) {
            return TextNode.valueOf(network);
        }
        JsonNode tree = JobFiles.tree(network, standardInput);
        return tree.has("network") ? tree.get("network") : tree; // job files are accepted, too
    }

    private static JsonNode dataset(String dataset, JsonNode saved) {
        if (dataset.stripLeading().startsWith("{")) {
            return json("--dataset", dataset);
        }
        ObjectNode named = MAPPER.createObjectNode().put("name", dataset);
        JsonNode normalize = saved.path("normalize");
        return normalize.isMissingNode() ? named : named.set("normalize", normalize);
    }

    private static JsonNode json(String what, String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new InvalidJobException(
                    "%s is not JSON: %s"
                            .formatted(what, e.getOriginalMessage().replaceAll(" \\(start marker at .*", "")),
                    e);
        }
    }
}
