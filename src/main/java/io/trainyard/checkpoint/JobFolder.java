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

/// One job's folder in a store. Ownership of a job is decided here, because here is the state: an attempt
/// belongs to whoever creates its file, and there is no attempt but the last.
///
///     <job>/spec.json                the job as it was first asked for
///     <job>/attempts/<n>             created once: whose attempt it is
///     <job>/attempts/<n>.from        created once: the checkpoint it goes on from
///     <job>/attempts/<n>.started     there while the attempt trains, and after it if it was killed
///     <job>/attempts/<n>.preempted   there once the attempt makes room for an urgent job
///     <job>/checkpoints/             see [JobCheckpoints]
///     <job>/choices/<kind>.json      created once: what the first session on that kind of device chose
///     <job>/init-from                the checkpoint it started from, where it did from another's
///     <job>/outcome.json             the event that ended the job, created once
public final class JobFolder {
    private static final String PREEMPTED = ".preempted";

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
        return store.createIfAbsent(specKey(), bytes)
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

    /// The number of the last attempt; 0 before the first.
    public int lastAttempt() {
        String attempts = folder + "/attempts";
        return store.list(attempts).stream()
                .map(key -> key.substring(attempts.length() + 1))
                .filter(name -> name.matches("[0-9]{1,9}"))
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(0);
    }

    /// Whose attempt it is; empty where there is no such attempt.
    ///
    /// @throws CheckpointException if its file does not say
    public Optional<Holder> holder(int attempt) {
        Optional<byte[]> kept = store.read(attemptKey(attempt));
        try {
            return kept.isPresent() ? Optional.of(Holder.read(kept.get())) : Optional.empty();
        } catch (IOException e) {
            throw new CheckpointException(
                    "%s does not say whose attempt it is: %s".formatted(store.uri(attemptKey(attempt)), e.getMessage()),
                    e);
        }
    }

    /// Makes an attempt the holder's. All before it are superseded by that.
    ///
    /// @return false if somebody has made it already
    public boolean createAttempt(int attempt, Holder holder) {
        return store.createIfAbsent(attemptKey(attempt), holder.write());
    }

    /// Whether there is a later attempt: this one has lost the job, and must not say or save anything more.
    public boolean isSuperseded(int attempt) {
        return store.has(attemptKey(attempt + 1));
    }

    /// Begins a new attempt that no command asks for: outside a fleet, or to end all before it.
    ///
    /// @param worker for people who look into the folder
    /// @return its number, larger than all before and nobody else's
    public int beginAttempt(String worker) {
        int next = lastAttempt() + 1;
        while (!createAttempt(next, Holder.outsideAFleet(worker))) {
            next++;
        }
        return next;
    }

    private String attemptKey(int attempt) {
        return folder + "/attempts/" + attempt;
    }

    /// Notes what an attempt goes on from, before it tells that it does: see [JobCheckpoints#newest].
    ///
    /// @param from empty: it begins anew
    public void noteFrom(int attempt, Optional<Checkpoint> from) {
        if (attempt > 1) { // there is nothing that the first might pass over
            Lineage.note(store, folder, attempt, from);
        }
    }

    /// Notes that an attempt takes memory and trains from now on. A machine that stops may forget it: that was not
    /// the job's doing.
    public void noteStarted(int attempt) {
        store.note(startedKey(attempt));
    }

    /// Notes that an attempt ended for a reason that is not the job's.
    public void noteStopped(int attempt) {
        store.delete(startedKey(attempt));
    }

    /// Whether an attempt has begun and did not end in good order: what ended it may be the job's doing.
    public boolean brokeOff(int attempt) {
        return store.has(startedKey(attempt));
    }

    /// Notes that an attempt makes room for an urgent job, before it does: so the job is never made to oftener than
    /// what is counted here.
    ///
    /// @param urgent that job
    public void notePreempted(int attempt, String urgent) {
        var _ = store.createIfAbsent(attemptKey(attempt) + PREEMPTED, urgent.getBytes(StandardCharsets.UTF_8));
    }

    /// How many attempts have made room for urgent jobs.
    public int preemptions() {
        return (int) store.list(folder + "/attempts").stream()
                .filter(key -> key.endsWith(PREEMPTED))
                .count();
    }

    private String startedKey(int attempt) {
        return attemptKey(attempt) + ".started";
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

    /// The event that ended the job, if it has ended: finished, failed or cancelled.
    public Optional<byte[]> outcome() {
        return store.read(outcomeKey());
    }

    /// Keeps the event that ended the job. The first one stays, whoever comes later.
    ///
    /// @return whether this is the first
    public boolean keepOutcome(byte[] event) {
        return store.createIfAbsent(outcomeKey(), event);
    }

    private String outcomeKey() {
        return folder + "/outcome.json";
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
