package io.trainyard.checkpoint;

import io.trainyard.device.Parameters;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.ParameterSpec;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// The model of a checkpoint, without what training on would need.
///
/// @param name where it is in the store, with its step
/// @param parameters under their `state_dict()` names
/// @param epoch the epoch it was saved in
public record SavedModel(CheckpointName name, Parameters parameters, int epoch) {
    static final String MODEL = ".safetensors";
    static final String TRAINING = ".training.safetensors";

    /// The key of a step's files, without their endings.
    static String key(String folder, long step) {
        return "%s/checkpoints/step-%010d".formatted(folder, step);
    }

    /// The keys of a job's model files, by step.
    static List<String> keys(CheckpointStore store, String folder) {
        return store.list(folder + "/checkpoints").stream()
                .filter(key -> key.endsWith(MODEL) && !key.endsWith(TRAINING))
                .toList();
    }

    /// Reads the checkpoint that `name` names.
    ///
    /// @throws CheckpointException if there is none, or it cannot be read; says what there is
    public static SavedModel find(CheckpointStore store, CheckpointName name) {
        List<String> keys = keys(store, name.job());
        if (keys.isEmpty()) {
            throw new CheckpointException("there is no checkpoint \"%s\": no job of that id has saved one in %s"
                    .formatted(name, store.uri(name.job() + "/checkpoints")));
        }
        Long step = name.step();
        String key = step == null ? keys.getLast() : key(name.job(), step) + MODEL;
        if (!keys.contains(key)) {
            throw new CheckpointException(
                    "there is no checkpoint \"%s\"; the job's newest is of step %d, and there are %d in %s"
                            .formatted(
                                    name, step(keys.getLast()), keys.size(), store.uri(name.job() + "/checkpoints")));
        }
        try (InputStream in =
                store.open(key).orElseThrow(() -> new CheckpointException(store.uri(key) + " is missing"))) {
            SafeTensors read = SafeTensors.read(in);
            int epoch = Integer.parseInt(read.metadata().getOrDefault("epoch", "0"));
            boolean between = read.metadata().getOrDefault("stepOfEpoch", "0").equals("0");
            return new SavedModel(
                    new CheckpointName(name.job(), step(key)),
                    read.tensors(),
                    between ? Math.max(0, epoch - 1) : epoch);
        } catch (IOException | IllegalArgumentException e) {
            throw new CheckpointException("%s cannot be read: %s".formatted(store.uri(key), e.getMessage()), e);
        }
    }

    private static long step(String key) {
        String digits = key.substring(key.lastIndexOf('-') + 1, key.length() - MODEL.length());
        return Long.parseLong(digits);
    }

    /// Reads a model file that need not lie in a store.
    ///
    /// @return its parameters under their `state_dict()` names
    /// @throws CheckpointException if it is not there, or no model file; says which file
    public static Parameters read(Path file) {
        if (file.toString().endsWith(TRAINING)) {
            throw new CheckpointException("%s is a checkpoint's training state; the model is in %s"
                    .formatted(file, file.toString().replace(TRAINING, MODEL)));
        }
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return SafeTensors.read(in).tensors();
        } catch (NoSuchFileException e) {
            throw new CheckpointException("there is no file " + file, e);
        } catch (IOException | IllegalArgumentException | CheckpointException e) {
            throw new CheckpointException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    /// @param network the network's name, for the message
    /// @throws CheckpointException unless its names and shapes are those of `specs`; says which differs first, what
    ///     it is and what it must be
    public void requireFit(String network, List<ParameterSpec> specs) {
        requireFit(name.toString(), parameters, network, specs);
    }

    /// As the other one.
    ///
    /// @param checkpoint its name or file, for the message
    public static void requireFit(String checkpoint, Parameters parameters, String network, List<ParameterSpec> specs) {
        try {
            parameters.requireMatch(specs);
        } catch (IllegalArgumentException e) {
            throw new CheckpointException("the checkpoint %s does not fit the network (%s): %s"
                    .formatted(checkpoint, network, e.getMessage()));
        }
    }
}
