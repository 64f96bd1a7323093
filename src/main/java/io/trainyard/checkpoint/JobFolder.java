package io.trainyard.checkpoint;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// One job's folder in a store. Ownership of a job is decided here, because here is the state: an attempt
/// belongs to whoever creates its file.
///
///     <job>/spec.json                                     the job as it was first asked for
///     <job>/attempts/<n>                                  created once, by the worker whose attempt it is
///     <job>/checkpoints/step-<n>.safetensors              the model, for load_state_dict
///     <job>/checkpoints/step-<n>.training.safetensors     optimizer, random state, progress
///     <job>/init-from                                     the checkpoint it started from, where it did from another's
///     <job>/outcome.json                                  the event that ended the job
public final class JobFolder {
    private static final System.Logger LOG = System.getLogger(JobFolder.class.getName());
    private static final String RANDOM = "random";
    private static final String OPTIMIZER = "optimizer.";

    private final CheckpointStore store;
    private final String job;
    private final String folder;

    /// The folder that all workers share for a job.
    public JobFolder(CheckpointStore store, String job) {
        this(store, job, job);
    }

    private JobFolder(CheckpointStore store, String job, String folder) {
        this.store = store;
        this.job = job;
        this.folder = folder;
    }

    /// A folder for a run of a job outside a fleet: `<job>`, or the first of `<job>~2`, `<job>~3`, ... that is
    /// not there yet, so that running the same file twice neither mixes nor overwrites.
    public static JobFolder ofNewRun(CheckpointStore store, String job) {
        return new JobFolder(store, job, run(job, runs(store, job) + 1));
    }

    /// The folder of the last such run; a new one if there is none.
    public static JobFolder ofLastRun(CheckpointStore store, String job) {
        return new JobFolder(store, job, run(job, Math.max(1, runs(store, job))));
    }

    private static int runs(CheckpointStore store, String job) {
        int runs = 0;
        while (!store.list(run(job, runs + 1)).isEmpty()) {
            runs++;
        }
        return runs;
    }

    private static String run(String job, int number) {
        return number == 1 ? job : job + "~" + number;
    }

    /// The folder's name in the store, which checkpoints are named by.
    public String name() {
        return folder;
    }

    /// Keeps the job's specification, the first time.
    ///
    /// @return false if another specification is kept already under this id
    public boolean keepSpec(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        String key = folder + "/spec.json";
        return store.createIfAbsent(key, bytes)
                || read(key).map(kept -> isSameJob(kept, bytes)).orElse(false);
    }

    /// An earlier version wrote fewer fields; what it left out has the defaults that are written now.
    private static boolean isSameJob(byte[] kept, byte[] asked) {
        try {
            return Arrays.equals(kept, asked) || JobJson.read(kept).equals(JobJson.read(asked));
        } catch (InvalidJobException e) {
            return false; // it was kept by a version that knows more fields than this one
        }
    }

    /// The job's specification as JSON, once it is kept.
    public Optional<byte[]> spec() {
        return read(folder + "/spec.json");
    }

    /// Begins a new attempt.
    ///
    /// @param owner for people who look into the folder
    /// @return its number, larger than all before and nobody else's
    public int beginAttempt(String owner) {
        String attempts = folder + "/attempts";
        int next = 1
                + store.list(attempts).stream()
                        .map(key -> key.substring(attempts.length() + 1))
                        .filter(name -> name.matches("[0-9]{1,9}"))
                        .mapToInt(Integer::parseInt)
                        .max()
                        .orElse(0);
        while (!store.createIfAbsent(attempts + "/" + next, owner.getBytes(StandardCharsets.UTF_8))) {
            next++;
        }
        return next;
    }

    /// The event that ended the job, if it has ended.
    public Optional<byte[]> outcome() {
        return read(folder + "/outcome.json");
    }

    /// Keeps the event that ended the job.
    public void keepOutcome(byte[] event) {
        CheckpointRef _ = store.write(folder + "/outcome.json", out -> out.write(event));
    }

    /// Saves a checkpoint: the training state first, so that a model file always has one beside it.
    ///
    /// @return the model file
    public CheckpointRef save(Checkpoint checkpoint) {
        Progress progress = checkpoint.progress();
        String key = SavedModel.key(folder, progress.step());
        Map<String, String> metadata = Map.of(
                "format", "pt",
                "job", job,
                "epoch", Integer.toString(progress.epoch()),
                "stepOfEpoch", Integer.toString(progress.stepOfEpoch()),
                "step", Long.toString(progress.step()),
                "accuracy", Double.toString(progress.accuracy()),
                "bestAccuracy", Double.toString(progress.bestAccuracy()),
                "threads", Integer.toString(checkpoint.threads()));
        Map<String, String> trainingMetadata = new LinkedHashMap<>(metadata);
        trainingMetadata.put("bestEpoch", Integer.toString(progress.bestEpoch()));
        // Not with the model, whose bytes never differ:
        trainingMetadata.put("attempt", Integer.toString(checkpoint.attempt()));
        trainingMetadata.put("workedMicros", Long.toString(progress.workedMicros()));
        Map<String, Tensor> training = new LinkedHashMap<>();
        training.put(RANDOM, new Tensor.Longs(Shape.of(progress.random().length), progress.random()));
        checkpoint.state().optimizer().tensors().forEach((name, tensor) -> training.put(OPTIMIZER + name, tensor));
        CheckpointRef _ = store.write(
                key + SavedModel.TRAINING, new SafeTensors(trainingMetadata, new Parameters(training))::write);
        return store.write(
                key + SavedModel.MODEL,
                new SafeTensors(metadata, checkpoint.state().model())::write);
    }

    /// The newest checkpoint that can be read; one that cannot is passed over, with a warning.
    public Optional<Checkpoint> newest() {
        for (String model : SavedModel.keys(store, folder).reversed()) {
            try {
                return Optional.of(load(model));
            } catch (CheckpointException | IOException | IllegalArgumentException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "job={0} checkpoint {1} is passed over: {2}",
                        job,
                        store.uri(model),
                        e.getMessage());
            }
        }
        return Optional.empty();
    }

    /// Another job's model to start from. What a name without a step stands for is decided once, at the first
    /// attempt: the other job may save more meanwhile.
    ///
    /// @throws CheckpointException if there is no such checkpoint, or it cannot be read
    public SavedModel source(CheckpointName name) {
        SavedModel model = SavedModel.find(store, source().orElse(name));
        byte[] exact = model.name().toString().getBytes(StandardCharsets.UTF_8);
        boolean decided = store.createIfAbsent(sourceKey(), exact)
                || source().map(model.name()::equals).orElse(false);
        return decided ? model : SavedModel.find(store, source().orElseThrow());
    }

    /// The checkpoint the job started from, with its step; empty if it has not yet, or from none.
    public Optional<CheckpointName> source() {
        return read(sourceKey())
                .map(bytes -> CheckpointName.parse(sourceKey(), new String(bytes, StandardCharsets.UTF_8)));
    }

    private String sourceKey() {
        return folder + "/init-from";
    }

    private Checkpoint load(String modelKey) throws IOException {
        SafeTensors model = loadTensors(modelKey);
        SafeTensors training =
                loadTensors(modelKey.substring(0, modelKey.length() - SavedModel.MODEL.length()) + SavedModel.TRAINING);
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
                progress(training.metadata(), random),
                Integer.parseInt(text(training.metadata(), "threads")),
                Integer.parseInt(text(training.metadata(), "attempt")));
    }

    private SafeTensors loadTensors(String key) throws IOException {
        try (InputStream in =
                store.open(key).orElseThrow(() -> new CheckpointException(store.uri(key) + " is missing"))) {
            return SafeTensors.read(in);
        }
    }

    private static Progress progress(Map<String, String> metadata, long[] random) {
        return new Progress(
                Integer.parseInt(text(metadata, "epoch")),
                Integer.parseInt(text(metadata, "stepOfEpoch")),
                Long.parseLong(text(metadata, "step")),
                random,
                Double.parseDouble(text(metadata, "accuracy")),
                Double.parseDouble(text(metadata, "bestAccuracy")),
                Integer.parseInt(metadata.getOrDefault("bestEpoch", "-1")), // an earlier version lacks these two
                Long.parseLong(metadata.getOrDefault("workedMicros", "0")));
    }

    private static String text(Map<String, String> metadata, String key) {
        String value = metadata.get(key);
        if (value == null) {
            throw new CheckpointException("its metadata has no \"%s\"".formatted(key));
        }
        return value;
    }

    private Optional<byte[]> read(String key) {
        Optional<InputStream> found = store.open(key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = found.get()) {
            return Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new CheckpointException("%s cannot be read: %s".formatted(store.uri(key), e), e);
        }
    }
}
