package io.trainyard.checkpoint;

import io.trainyard.spec.CheckpointName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The checkpoints of one job, in its folder of a store.
///
///     step-<step>-<attempt>.safetensors              the model, for load_state_dict
///     step-<step>-<attempt>.training.safetensors     optimizer, random generator, progress
///     step-<step>-<attempt>.json                     the manifest, written last; it completes the checkpoint
public final class JobCheckpoints {
    private static final System.Logger LOG = System.getLogger(JobCheckpoints.class.getName());

    private final CheckpointStore store;
    private final String job;
    private final String folder;

    /// @param folder the job's folder
    JobCheckpoints(CheckpointStore store, String job, String folder) {
        this.store = store;
        this.job = job;
        this.folder = folder;
    }

    /// Saves a checkpoint. It is complete and on disk when this method returns.
    ///
    /// @return the model file
    public CheckpointRef save(Checkpoint checkpoint) {
        Progress at = checkpoint.progress();
        CheckpointKey key = new CheckpointKey(folder, at.step(), checkpoint.attempt());
        CheckpointFiles files = CheckpointFiles.of(checkpoint, job);
        CheckpointRef training = store.write(key.training(), files.training()::write);
        CheckpointRef model = store.write(key.model(), files.model()::write);
        boolean tested = at.stepOfEpoch() == 0 && at.epoch() > 0;
        Manifest manifest = new Manifest(
                checkpoint.attempt(),
                at.step(),
                tested && !Double.isNaN(at.accuracy()) ? at.accuracy() : null,
                tested && !Double.isNaN(at.testLoss()) ? at.testLoss() : null,
                tested && at.metric() != null ? at.score() : null,
                List.of(file(model), file(training)),
                checkpoint.pending());
        CheckpointRef _ = store.write(key.manifest(), out -> out.write(manifest.write()));
        return model;
    }

    private static Manifest.StoredFile file(CheckpointRef ref) {
        String path = ref.uri().getPath();
        return new Manifest.StoredFile(path.substring(path.lastIndexOf('/') + 1), ref.sha256(), ref.bytes());
    }

    /// The newest complete checkpoint: of the highest step, and for that step of the highest attempt. Damaged
    /// checkpoints are skipped with a warning, and those of superseded attempts are also skipped.
    public Optional<Checkpoint> newest() {
        return newest(JobChain.of(store, folder), CheckpointKey.files(store, folder));
    }

    /// Like [#newest] for an attempt that begins. Also deletes unfinished checkpoints of earlier attempts.
    ///
    /// @param chain the job's chain, including `attempt`
    public Optional<Checkpoint> resume(JobChain chain, int attempt) {
        store.sweep(CheckpointKey.folder(folder));
        SortedMap<CheckpointKey, Set<String>> files = CheckpointKey.files(store, folder);
        Optional<Checkpoint> newest = newest(chain, files);
        files.forEach((key, its) -> {
            boolean unfinished = !its.contains(key.manifest()) || its.size() == 1;
            if (key.isOfAnAttempt() && key.attempt() < attempt && unfinished) {
                its.forEach(store::delete);
            }
        });
        return newest;
    }

    private Optional<Checkpoint> newest(JobChain chain, SortedMap<CheckpointKey, Set<String>> files) {
        for (CheckpointKey key : candidates(chain, files)) {
            try {
                return Optional.of(load(key));
            } catch (StoreException e) {
                throw e;
            } catch (CheckpointException | IllegalArgumentException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "job={0} checkpoint {1} is passed over: {2}",
                        job,
                        store.uri(key.model()),
                        e.getMessage());
            }
        }
        return Optional.empty();
    }

    /// The checkpoints from which the job may resume, the newest first. A manifest without its files is
    /// skipped: a delayed superseded attempt may write one after its files were deleted as unfinished.
    private List<CheckpointKey> candidates(JobChain chain, SortedMap<CheckpointKey, Set<String>> files) {
        CheckpointLineage lineage = chain.lineage();
        return files.entrySet().stream()
                .filter(entry -> entry.getKey().isOfAnAttempt()
                        && lineage.has(entry.getKey())
                        && isWhole(entry.getKey(), entry.getValue()))
                .map(Map.Entry::getKey)
                .toList()
                .reversed();
    }

    private boolean isWhole(CheckpointKey key, Set<String> files) {
        boolean whole = files.containsAll(key.all());
        if (!whole) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "job={0} checkpoint {1} is passed over: {2}",
                    job,
                    store.uri(key.model()),
                    files.contains(key.manifest())
                            ? "a file of it is missing"
                            : "it has no manifest: the worker that wrote it was stopped before it was whole");
        }
        return whole;
    }

    /// The model of the checkpoint after a step, of an attempt that counts; empty if there is none.
    ///
    /// @throws CheckpointException if it is damaged
    public Optional<SavedModel> model(long step) {
        for (CheckpointKey key : candidates(JobChain.of(store, folder), CheckpointKey.files(store, folder))) {
            if (key.step() == step) {
                return Optional.of(SavedModel.read(store, key));
            }
        }
        return Optional.empty();
    }

    /// The step of the newest checkpoint with a manifest; 0 without one.
    public long lastStep() {
        return lastStep(JobChain.of(store, folder));
    }

    public long lastStep(JobChain chain) {
        return lastManifest(chain).map(Manifest::step).orElse(0L);
    }

    /// The manifest of the newest checkpoint that has one. The other files are not read.
    public Optional<Manifest> lastManifest() {
        return lastManifest(JobChain.of(store, folder));
    }

    private Optional<Manifest> lastManifest(JobChain chain) {
        for (CheckpointKey key : candidates(chain, CheckpointKey.files(store, folder))) {
            try {
                return Optional.of(manifest(store, key));
            } catch (StoreException e) {
                throw e;
            } catch (CheckpointException _) { // try the previous one
            }
        }
        return Optional.empty();
    }

    /// The newest complete checkpoint that matches `name`, with its training state.
    ///
    /// @throws CheckpointException if there is none
    Checkpoint at(CheckpointName name) {
        Long step = name.best() ? Long.valueOf(SavedModel.bestStep(store, name)) : name.step();
        SortedMap<CheckpointKey, Set<String>> files = CheckpointKey.files(store, folder);
        SortedMap<CheckpointKey, Set<String>> named = new TreeMap<>(files);
        named.keySet().removeIf(key -> step != null && key.step() != step);
        return newest(JobChain.of(store, folder), named)
                .orElseThrow(() ->
                        new CheckpointException("there is no checkpoint \"%s\" with a training state in %s; %s"
                                .formatted(
                                        name,
                                        store.uri(CheckpointKey.folder(folder)),
                                        files.isEmpty()
                                                ? "there are none"
                                                : "there are the steps "
                                                        + CheckpointKey.steps(List.copyOf(files.keySet())))));
    }

    /// The step of the checkpoint of the best test, as [Retention] keeps it: of those from which the job may resume,
    /// the first with the highest score.
    ///
    /// @param retention of the job
    /// @param name of the wanted checkpoint, for messages
    /// @throws CheckpointException if no checkpoint was tested, or retention has deleted that of the best test; the
    ///     message lists the others
    long bestStep(Retention retention, CheckpointName name) {
        List<CheckpointKey> all = candidates(JobChain.of(store, folder), CheckpointKey.files(store, folder))
                .reversed();
        String others = "there are the steps %s; name one of them, such as \"%s/%d\""
                .formatted(
                        CheckpointKey.steps(all),
                        name.job(),
                        all.isEmpty() ? 0 : all.getLast().step());
        CheckpointKey best = Retention.best(all, this::score);
        if (best == null) {
            throw new CheckpointException("there is no checkpoint \"%s\": none of %d was saved after a test%s"
                    .formatted(name, all.size(), all.isEmpty() ? "" : "; " + others));
        }
        Long bestTest = retention.deletesBest()
                ? CheckpointFiles.bestStep(store, all.getLast().training())
                : null;
        if (bestTest != null && bestTest != best.step()) {
            throw new CheckpointException(
                    "there is no checkpoint \"%s\": the best test was after step %d, whose checkpoint is not retained with keepLast %d and without keepBest; %s, or train with \"keepBest\": true"
                            .formatted(name, bestTest, retention.keepLast(), others));
        }
        return best.step();
    }

    private Checkpoint load(CheckpointKey key) {
        Manifest manifest = manifest(store, key);
        return new CheckpointFiles(manifest.readIntact(store, key.model()), manifest.readIntact(store, key.training()))
                .checkpoint(manifest.pending());
    }

    /// @throws CheckpointException if it does not exist or is damaged
    static Manifest manifest(CheckpointStore store, CheckpointKey key) {
        Manifest manifest = Manifest.read(store.read(key.manifest())
                .orElseThrow(() -> new CheckpointException(
                        "it has no manifest: the worker that wrote it was stopped before it was whole")));
        if (manifest.step() != key.step() || manifest.attempt() != key.attempt()) {
            throw new CheckpointException(
                    "its manifest is that of step %d and attempt %d".formatted(manifest.step(), manifest.attempt()));
        }
        return manifest;
    }

    /// Deletes checkpoints that retention does not keep, after a new one was saved. Deletes nothing if its
    /// attempt is superseded.
    ///
    /// The order guarantees that. The manifest is written, then the checkpoints are listed, then the chain. If
    /// the chain ends with this attempt, each successor lists the checkpoints later and sees the new manifest.
    /// Checkpoints of a successor are not in the earlier list, however long this process is delayed before it
    /// deletes.
    ///
    /// @return false if the attempt is superseded
    public boolean keep(Retention retention, Checkpoint saved) {
        if (retention.keepsAll()) {
            return true;
        }
        SortedMap<CheckpointKey, Set<String>> files = CheckpointKey.files(store, folder);
        JobChain chain = JobChain.of(store, folder);
        if (chain.last() > saved.attempt()) {
            return false;
        }
        CheckpointLineage lineage = chain.lineage();
        CheckpointKey newest = new CheckpointKey(folder, saved.progress().step(), saved.attempt());
        retention
                .superfluous(
                        files.keySet().stream()
                                .filter(key -> key.isOfAnAttempt() && key.attempt() <= saved.attempt())
                                .toList(),
                        newest,
                        key -> lineage.has(key)
                                && files.getOrDefault(key, Set.of()).containsAll(key.all()),
                        this::score)
                .forEach(this::delete);
        return true;
    }

    private @Nullable Double score(CheckpointKey key) {
        try {
            return manifest(store, key).score();
        } catch (StoreException e) {
            throw e;
        } catch (CheckpointException _) {
            return null; // it is damaged, so it is not the best
        }
    }

    /// The manifest first; without it, the other files do not count.
    private void delete(CheckpointKey key) {
        key.all().forEach(store::delete);
    }
}
