package io.trainyard.checkpoint;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.Metric;
import io.trainyard.spec.Shape;
import io.trainyard.spec.TargetScale;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The two files of a checkpoint.
///
/// @param model for `load_state_dict`; the same bytes for every worker
/// @param training the other state for the next step: optimizer, random generator, progress
record CheckpointFiles(SafeTensors model, SafeTensors training) {
    private static final String RANDOM = "random";
    private static final String OPTIMIZER = "optimizer.";
    private static final String METRIC = "metric";
    private static final String CHOICES = "choices";

    static CheckpointFiles of(Checkpoint checkpoint, String job) {
        Progress progress = checkpoint.progress();
        Map<String, String> metadata = new LinkedHashMap<>(Map.of(
                "format", "pt",
                "job", job,
                "epoch", Integer.toString(progress.epoch()),
                "stepOfEpoch", Integer.toString(progress.stepOfEpoch()),
                "step", Long.toString(progress.step()),
                "accuracy", Double.toString(progress.accuracy()),
                "bestAccuracy", Double.toString(progress.bestAccuracy()),
                "threads", Integer.toString(checkpoint.threads())));
        if (checkpoint.targets() != null) {
            metadata.putAll(checkpoint.targets().metadata());
        }
        Map<String, String> trainingMetadata = new LinkedHashMap<>(metadata);
        trainingMetadata.put("testLoss", Double.toString(progress.testLoss()));
        trainingMetadata.put("bestTestLoss", Double.toString(progress.bestTestLoss()));
        trainingMetadata.put("bestEpoch", Integer.toString(progress.bestEpoch()));
        if (progress.metric() != null) {
            trainingMetadata.put(METRIC, progress.metric().toString());
            trainingMetadata.put("score", Double.toString(progress.score()));
            trainingMetadata.put("bestScore", Double.toString(progress.bestScore()));
        }
        // The model file must not contain these values because its bytes are reproducible.
        trainingMetadata.put("attempt", Integer.toString(checkpoint.attempt()));
        trainingMetadata.put("workedMicros", Long.toString(progress.workedMicros()));
        if (!checkpoint.choices().isEmpty()) {
            trainingMetadata.put(CHOICES, ChoicesJson.write(checkpoint.choices()));
        }
        Map<String, Tensor> training = new LinkedHashMap<>();
        training.put(RANDOM, new Tensor.Longs(Shape.of(progress.random().length), progress.random()));
        checkpoint.state().optimizer().tensors().forEach((name, tensor) -> training.put(OPTIMIZER + name, tensor));
        return new CheckpointFiles(
                new SafeTensors(metadata, checkpoint.state().model()),
                new SafeTensors(trainingMetadata, new Parameters(training)));
    }

    /// @param pending from the manifest
    /// @throws CheckpointException if an entry is missing
    /// @throws IllegalArgumentException if a number is invalid
    Checkpoint checkpoint(List<String> pending) {
        Map<String, Tensor> optimizer = new LinkedHashMap<>();
        long[] random = {};
        for (var entry : training.tensors().tensors().entrySet()) {
            if (entry.getKey().startsWith(OPTIMIZER)) {
                optimizer.put(entry.getKey().substring(OPTIMIZER.length()), entry.getValue());
            } else if (entry.getValue() instanceof Tensor.Longs longs) {
                random = longs.values();
            }
        }
        return new Checkpoint(
                new SessionState(model.tensors(), new Parameters(optimizer)),
                TargetScale.of(model.metadata()),
                progress(random),
                Integer.parseInt(text("threads")),
                choices(),
                Integer.parseInt(text("attempt")),
                pending);
    }

    /// The step after which the best test so far took place; null before the first test.
    ///
    /// @param key of a training state, of which only the header is read
    static @Nullable Long bestStep(CheckpointStore store, String key) {
        try (InputStream in =
                store.open(key).orElseThrow(() -> new CheckpointException(store.uri(key) + " is missing"))) {
            Map<String, String> metadata = SafeTensors.readMetadata(in);
            int epoch = Integer.parseInt(metadata.getOrDefault("epoch", "0"));
            int best = Integer.parseInt(metadata.getOrDefault("bestEpoch", "-1"));
            long steps = Long.parseLong(metadata.getOrDefault("step", "0"))
                    - Long.parseLong(metadata.getOrDefault("stepOfEpoch", "0"));
            return epoch == 0 || best < 0 ? null : Long.valueOf(steps / epoch * (best + 1));
        } catch (IOException e) {
            throw new StoreException("%s cannot be read: %s".formatted(store.uri(key), e), e);
        }
    }

    private Progress progress(long[] random) {
        Progress usual = new Progress(
                Integer.parseInt(text("epoch")),
                Integer.parseInt(text("stepOfEpoch")),
                Long.parseLong(text("step")),
                random,
                Double.parseDouble(text("accuracy")),
                Double.parseDouble(text("bestAccuracy")),
                Integer.parseInt(text("bestEpoch")),
                Long.parseLong(text("workedMicros")),
                number("testLoss"),
                number("bestTestLoss"));
        Metric metric = Metric.ofWord(training.metadata().get(METRIC));
        return metric == null ? usual : usual.withMetric(metric, number("score"), number("bestScore"));
    }

    /// NaN for checkpoints of earlier versions, which have no losses.
    private double number(String key) {
        return Double.parseDouble(training.metadata().getOrDefault(key, "NaN"));
    }

    /// Missing for earlier versions and for devices that measure nothing.
    private DeviceChoices choices() {
        String json = training.metadata().get(CHOICES);
        return json == null ? DeviceChoices.NONE : ChoicesJson.read(json, "its metadata's \"%s\"".formatted(CHOICES));
    }

    private String text(String key) {
        String value = training.metadata().get(key);
        if (value == null) {
            throw new CheckpointException("its metadata has no \"%s\"".formatted(key));
        }
        return value;
    }
}
