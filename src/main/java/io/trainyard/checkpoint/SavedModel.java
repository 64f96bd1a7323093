package io.trainyard.checkpoint;

import io.trainyard.device.Parameters;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.TargetScale;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The model of a checkpoint, without training state.
///
/// @param name in the store, with its step
/// @param parameters under their `state_dict()` names
/// @param epoch the epoch in which it was saved
/// @param targets the scale of what it predicts, for regression; null: as in the dataset
public record SavedModel(
        CheckpointName name,
        Parameters parameters,
        int epoch,
        @Nullable TargetScale targets) {
    /// As folders of the Hugging Face Hub have it.
    private static final String MODEL_OF_FOLDER = "/model.safetensors";

    private static final System.Logger LOG = System.getLogger(SavedModel.class.getName());

    /// Opens the model file of an attempt without checking it; empty if it does not exist.
    public static Optional<InputStream> open(CheckpointStore store, String job, long step, int attempt) {
        return store.open(new CheckpointKey(job, step, attempt).model());
    }

    /// Like [#exact], of the newest finished run of a job that `train` ran several times.
    public static SavedModel find(CheckpointStore store, CheckpointName name) {
        return exact(store, JobFolder.ofResult(store, name));
    }

    /// Reads the newest complete checkpoint that matches `name`. Damaged ones are skipped with a warning. A
    /// model that a user put there is read without verification.
    ///
    /// @param name of a folder of the store
    ///
    /// @throws CheckpointException if no complete one exists; the message lists the checkpoints that do
    static SavedModel exact(CheckpointStore store, CheckpointName name) {
        if (name.isFile()) {
            return file(store, name);
        }
        List<CheckpointKey> all = CheckpointKey.list(store, name.job());
        String folder = CheckpointKey.folder(name.job());
        if (all.isEmpty() && store.has(name.job() + MODEL_OF_FOLDER)) {
            return file(store, new CheckpointName(name.job() + MODEL_OF_FOLDER, null));
        }
        if (all.isEmpty()) {
            throw new CheckpointException("there is no checkpoint \"%s\": no job of that id has saved one in %s"
                    .formatted(name, store.uri(folder)));
        }
        Long step = name.best() ? Long.valueOf(bestStep(store, name)) : name.step();
        List<CheckpointKey> named =
                all.stream().filter(key -> step == null || key.step() == step).toList();
        if (named.isEmpty()) {
            throw new CheckpointException("there is no checkpoint \"%s\"; there are the steps %s in %s"
                    .formatted(name, CheckpointKey.steps(all), store.uri(folder)));
        }
        List<String> problems = new ArrayList<>();
        for (CheckpointKey key : named.reversed()) {
            try {
                return read(store, key);
            } catch (StoreException e) {
                throw e;
            } catch (CheckpointException | IllegalArgumentException e) {
                problems.add("%s cannot be read: %s".formatted(store.uri(key.model()), e.getMessage()));
                LOG.log(System.Logger.Level.WARNING, problems.getLast());
            }
        }
        throw new CheckpointException("the checkpoint \"%s\" is not whole: %s".formatted(name, problems.getFirst()));
    }

    /// A model that other programs wrote.
    private static SavedModel file(CheckpointStore store, CheckpointName name) {
        if (name.job().endsWith(CheckpointKey.TRAINING)) {
            throw new CheckpointException("%s is a checkpoint's training state; name its model".formatted(name));
        }
        try {
            SafeTensors read = tensors(store, name.job());
            return new SavedModel(name, read.tensors(), 0, TargetScale.of(read.metadata()));
        } catch (StoreException e) {
            throw e;
        } catch (CheckpointException | IllegalArgumentException e) {
            throw new CheckpointException("the file %s cannot be read: %s".formatted(name, e.getMessage()), e);
        }
    }

    static long bestStep(CheckpointStore store, CheckpointName name) {
        JobFolder folder = new JobFolder(store, name.job());
        Retention retention = folder.spec()
                .map(JobJson::read)
                .map(Retention::of)
                .orElseGet(() -> new Retention(Integer.MAX_VALUE, false));
        return folder.checkpoints().bestStep(retention, name);
    }

    /// @throws CheckpointException if the checkpoint is damaged
    static SavedModel read(CheckpointStore store, CheckpointKey key) {
        SafeTensors read = key.isOfAnAttempt()
                ? JobCheckpoints.manifest(store, key).readIntact(store, key.model())
                : tensors(store, key.model());
        int epoch = Integer.parseInt(read.metadata().getOrDefault("epoch", "0"));
        boolean between = read.metadata().getOrDefault("stepOfEpoch", "0").equals("0");
        return new SavedModel(
                new CheckpointName(key.folder(), key.step()),
                read.tensors(),
                between ? Math.max(0, epoch - 1) : epoch,
                TargetScale.of(read.metadata()));
    }

    /// @throws CheckpointException if it does not exist or is invalid
    private static SafeTensors tensors(CheckpointStore store, String key) {
        try (InputStream in =
                store.open(key).orElseThrow(() -> new CheckpointException(store.uri(key) + " is missing"))) {
            return SafeTensors.read(in);
        } catch (IOException e) {
            throw new StoreException("%s cannot be read: %s".formatted(store.uri(key), e), e);
        }
    }

    /// Reads a model file, inside or outside a store.
    ///
    /// @return its header, and its parameters under their `state_dict()` names
    /// @throws CheckpointException if it does not exist or is not a model file; the message names the file
    public static SafeTensors read(Path file) {
        if (file.toString().endsWith(CheckpointKey.TRAINING)) {
            throw new CheckpointException("%s is a checkpoint's training state; the model is in %s"
                    .formatted(file, file.toString().replace(CheckpointKey.TRAINING, CheckpointKey.MODEL)));
        }
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            SafeTensors read = SafeTensors.read(in);
            var _ = TargetScale.of(read.metadata()); // throws if it is damaged
            return read;
        } catch (NoSuchFileException e) {
            throw new CheckpointException("there is no file " + file, e);
        } catch (IOException | IllegalArgumentException | CheckpointException e) {
            throw new CheckpointException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    /// @param checkpoint its name or file, for the message
    /// @param network the network's name, for the message
    /// @throws CheckpointException if names and shapes differ from `specs`; the message has the first
    ///     difference with the expected value
    public static void requireFit(String checkpoint, Parameters parameters, String network, List<ParameterSpec> specs) {
        try {
            parameters.requireMatch(specs);
        } catch (IllegalArgumentException e) {
            throw new CheckpointException("the checkpoint %s does not fit the network (%s): %s"
                    .formatted(checkpoint, network, e.getMessage()));
        }
    }
}
