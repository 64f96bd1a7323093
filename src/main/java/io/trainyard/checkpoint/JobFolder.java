package io.trainyard.checkpoint;

import io.trainyard.device.DeviceChoices;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// One job's folder in a store. Ownership of a job is decided here, next to the job's state: see [JobChain].
///
///     <job>/spec.json                            the job as it was first asked for
///     <job>/attempts/<n>                         created once: the owner of attempt n, or the job's end, or a pause
///     <job>/attempts/<n>.from-<step>-<attempt>   the checkpoint that attempt n resumed from, or `.from-none`
///     <job>/attempts/<n>.started                 there while the attempt trains, and after it if it was killed
///     <job>/attempts/<n>.preempted               there once the attempt is preempted
///     <job>/checkpoints/                         see [JobCheckpoints]
///     <job>/choices/<kind>.json                  created once: what the first session on that kind of device chose
///     <job>/init-from                            the checkpoint it started from, where it did from another's
public final class JobFolder {
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

    /// What the jobs of a group keep together, in the same store.
    public GroupFolder group(String name) {
        return new GroupFolder(store, name);
    }

    public JobCheckpoints checkpoints() {
        return new JobCheckpoints(store, job, folder);
    }

    /// Keeps the job's specification, the first time.
    ///
    /// @return false if another specification is kept already under this id
    public boolean keepSpec(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        Optional<byte[]> before = spec(); // read first: a claim of a job with many attempts must be quick
        return before.isPresent()
                ? isSameJob(before.get(), bytes)
                : store.createIfAbsent(specKey(), bytes)
                        || spec().map(kept -> isSameJob(kept, bytes)).orElse(false);
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
        return store.read(specKey());
    }

    private String specKey() {
        return folder + "/spec.json";
    }

    public JobChain chain() {
        return JobChain.of(store, folder);
    }

    /// A link of the chain; empty if there is none of that number.
    ///
    /// @throws CheckpointException if it cannot be understood
    public Optional<ChainLink> link(int number) {
        return JobChain.read(store, folder, number);
    }

    /// Appends a link to the chain. Of all that compete for a number one succeeds; a link whose first answer
    /// was lost is
    /// recognized.
    ///
    /// @param last the number of the link before, which is not an end; 0 for the first
    /// @return the link that follows now: `link`, or what another process appended first
    public ChainLink append(int last, ChainLink link) {
        return store.createIfAbsent(JobChain.key(folder, last + 1), link.write())
                ? link
                : link(last + 1)
                        .orElseThrow(() -> new StoreException(
                                "%s was there, and cannot be read".formatted(store.uri(JobChain.key(folder, last + 1))),
                                new IOException("it is not there")));
    }

    /// Whether the chain goes on after an attempt: then it must not publish or save anything more.
    public boolean isSuperseded(int attempt) {
        return store.has(JobChain.key(folder, attempt + 1));
    }

    /// Begins a new attempt that no command asks for, outside a fleet.
    ///
    /// @param worker for people who look into the folder
    /// @return its number
    /// @throws CheckpointException if the job has ended
    public int beginAttempt(String worker) {
        ChainLink.Owner owner = ChainLink.Owner.outsideAFleet(worker);
        JobChain chain = chain();
        ChainLink before = chain.link().orElse(null);
        for (int last = chain.last(); ; last++) {
            if (before instanceof ChainLink.End) {
                throw new CheckpointException("the job %s has ended".formatted(folder));
            }
            before = append(last, owner);
            if (before.equals(owner)) {
                return last + 1;
            }
        }
    }

    private String attemptKey(int attempt) {
        return JobChain.key(folder, attempt);
    }

    /// Notes what an attempt resumes from, before it publishes anything: see [CheckpointLineage].
    ///
    /// @param from empty: it begins at the first step
    public void noteFrom(int attempt, Optional<Checkpoint> from) {
        if (attempt > 1) { // there is nothing that the first might pass over
            var _ = store.createIfAbsent(JobChain.fromKey(folder, attempt, from.orElse(null)), new byte[0]);
        }
    }

    /// Notes that an attempt takes memory and trains from now on. A machine that stops may forget it: that was
    /// not
    /// the job's doing.
    public void noteStarted(int attempt) {
        store.note(startedKey(attempt));
    }

    /// Notes that an attempt ended for a reason that is not the job's.
    public void noteStopped(int attempt) {
        store.delete(startedKey(attempt));
    }

    /// Notes that an attempt makes room for an urgent job, before it does: so the job is never made to oftener
    /// than
    /// what is counted here.
    ///
    /// @param urgent that job
    public void notePreempted(int attempt, String urgent) {
        var _ = store.createIfAbsent(attemptKey(attempt) + JobChain.PREEMPTED, urgent.getBytes(StandardCharsets.UTF_8));
    }

    private String startedKey(int attempt) {
        return attemptKey(attempt) + JobChain.STARTED;
    }

    /// What sessions on each kind of device chose; none where nothing is measured.
    public DeviceChoices choices() {
        return store.list(folder + "/choices").stream()
                .map(this::choices)
                .reduce(DeviceChoices.NONE, DeviceChoices::with);
    }

    private DeviceChoices choices(String key) {
        return store.read(key)
                .map(json -> ChoicesJson.read(
                        new String(json, StandardCharsets.UTF_8), store.uri(key).toString()))
                .orElse(DeviceChoices.NONE);
    }

    /// Keeps what a session chose, before anything of it counts. For each kind of device the first ones stay.
    ///
    /// @return those that are kept, of the same kinds
    public DeviceChoices keep(DeviceChoices chosen) {
        DeviceChoices kept = DeviceChoices.NONE;
        for (String kind : chosen.byKind().keySet()) {
            DeviceChoices own = new DeviceChoices(Map.of(kind, chosen.of(kind)));
            String key = "%s/choices/%s.json".formatted(folder, kind.replaceAll("[^A-Za-z0-9.]+", "-"));
            boolean first = store.createIfAbsent(key, ChoicesJson.write(own).getBytes(StandardCharsets.UTF_8));
            kept = kept.with(first ? own : choices(key));
        }
        return kept;
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
        return store.read(sourceKey())
                .map(bytes -> CheckpointName.parse(sourceKey(), new String(bytes, StandardCharsets.UTF_8)));
    }

    private String sourceKey() {
        return folder + "/init-from";
    }
}
