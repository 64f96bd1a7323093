package io.trainyard.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The checkpoints of one job, in its folder of a store.
///
///     step-<step>-<attempt>.safetensors              the model, for load_state_dict
///     step-<step>-<attempt>.training.safetensors     optimizer, random state, progress
///     step-<step>-<attempt>.json                     the manifest, last: only with it they are a checkpoint
public final class JobCheckpoints {
    private static final System.Logger LOG = System.getLogger(JobCheckpoints.class.getName());

    private final CheckpointStore store;
    private final String job;
    private final String folder;

    /// @param job the job's id
    /// @param folder the job's
    JobCheckpoints(CheckpointStore store, String job, String folder) {
        this.store = store;
        this.job = job;
        this.folder = folder;
    }

    /// Saves a checkpoint. It counts, and is on disk, when this returns.
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
                List.of(file(model), file(training)),
                checkpoint.pending());
        CheckpointRef _ = store.write(key.manifest(), out -> out.write(manifest.write()));
        return model;
    }

    private static Manifest.StoredFile file(CheckpointRef ref) {
        String path = ref.uri().getPath();
        return new Manifest.StoredFile(path.substring(path.lastIndexOf('/') + 1), ref.sha256(), ref.bytes());
    }

    /// The newest checkpoint that is whole: of the highest step, and of that the highest attempt. Others are passed
    /// over, with a warning that says what is wrong with them, as are those of attempts that had lost the job.
    public Optional<Checkpoint> newest() {
        for (CheckpointKey key : lineage().reversed()) {
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

    /// The step of the newest checkpoint that has a manifest; 0 without one.
    public long lastStep() {
        return lastManifest().map(Manifest::step).orElse(0L);
    }

    /// What the newest checkpoint that has a manifest keeps of events, as JSON.
    public List<String> pending() {
        return lastManifest().map(Manifest::pending).orElse(List.of());
    }

    /// What the job may go on from, whole or not: the newest last.
    private List<CheckpointKey> lineage() {
        Lineage lineage = new Lineage(store, folder);
        return CheckpointKey.list(store, folder).stream()
                .filter(key -> key.isOfAnAttempt() && lineage.has(key))
                .toList();
    }

    private Optional<Manifest> lastManifest() {
        for (CheckpointKey key : lineage().reversed()) {
            try {
                return Optional.of(manifest(store, key));
            } catch (StoreException e) {
                throw e;
            } catch (CheckpointException _) { // then the one before
            }
        }
        return Optional.empty();
    }

    private Checkpoint load(CheckpointKey key) {
        Manifest manifest = manifest(store, key);
        manifest.requireIntact(store, key.model());
        manifest.requireIntact(store, key.training());
        return new CheckpointFiles(tensors(store, key.model()), tensors(store, key.training()))
                .checkpoint(manifest.pending());
    }

    /// @throws CheckpointException if there is none, or it is not as it was written
    static Manifest manifest(CheckpointStore store, CheckpointKey key) {
        Manifest manifest = Manifest.read(store.read(key.manifest())
                .orElseThrow(() -> new CheckpointException(
                        "it has no manifest: whoever wrote it was stopped before it was whole")));
        if (manifest.step() != key.step() || manifest.attempt() != key.attempt()) {
            throw new CheckpointException(
                    "its manifest is that of step %d and attempt %d".formatted(manifest.step(), manifest.attempt()));
        }
        return manifest;
    }

    /// @throws CheckpointException if it is not there, or not what it should be
    static SafeTensors tensors(CheckpointStore store, String key) {
        try (InputStream in =
                store.open(key).orElseThrow(() -> new CheckpointException(store.uri(key) + " is missing"))) {
            return SafeTensors.read(in);
        } catch (IOException e) {
            throw new StoreException("%s cannot be read: %s".formatted(store.uri(key), e), e);
        }
    }

    /// Deletes what need not be kept.
    ///
    /// @param saved is kept in any case; what is newer, too
    public void keep(Retention retention, Checkpoint saved) {
        CheckpointKey newest = new CheckpointKey(folder, saved.progress().step(), saved.attempt());
        retention
                .superfluous(CheckpointKey.list(store, folder), newest, this::score)
                .forEach(this::delete);
    }

    private @Nullable Double score(CheckpointKey key) {
        try {
            return manifest(store, key).score();
        } catch (StoreException e) {
            throw e;
        } catch (CheckpointException _) {
            return null; // it does not count, so it is not the best
        }
    }

    /// Removes what attempts before this one left unfinished: they were killed, or have lost the job.
    public void sweep(int attempt) {
        store.sweep(CheckpointKey.folder(folder));
        CheckpointKey.list(store, folder).stream()
                .filter(key -> key.isOfAnAttempt() && key.attempt() < attempt && !store.has(key.manifest()))
                .forEach(this::delete);
    }

    /// The manifest first: from then on the files are nothing.
    private void delete(CheckpointKey key) {
        store.delete(key.manifest());
        store.delete(key.model());
        store.delete(key.training());
    }
}
