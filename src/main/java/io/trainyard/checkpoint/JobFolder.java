package io.trainyard.checkpoint;

import io.trainyard.device.DeviceChoices;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/// One job's folder in a store. Ownership of a job is decided here, next to the job's state: see [JobChain].
///
///     <job>/spec.json                            the job as first requested
///     <job>/events.jsonl                         the events of a run outside a fleet
///     <job>/attempts/<n>                         created once: the owner of attempt n, or the job's end, or a pause
///     <job>/attempts/<n>.from-<step>-<attempt>   the checkpoint that attempt n resumed from, or `.from-none`
///     <job>/attempts/<n>.started                 exists while the attempt trains, and afterwards if it was killed
///     <job>/attempts/<n>.preempted               exists after the attempt was preempted
///     <job>/checkpoints/                         see [JobCheckpoints]
///     <job>/choices/<kind>.json                  created once: choices of the first session on that device kind
///     <job>/results/                             written at the end: see [#keepResult]
///     <job>/init-from                            the checkpoint of another job from which it started
public final class JobFolder {
    private static final String FINISHED = "finished";

    private final CheckpointStore store;
    private final String job;
    private final String folder;

    /// The folder of a job in a fleet, which all workers share.
    public JobFolder(CheckpointStore store, String job) {
        this(store, job, job);
    }

    private JobFolder(CheckpointStore store, String job, String folder) {
        this.store = store;
        this.job = job;
        this.folder = folder;
    }

    /// A folder for a new run of a job outside a fleet: `<job>`, or the first unused of `<job>~2`, `<job>~3`,
    /// ..., so that repeated runs of the same file do not overwrite each other.
    public static JobFolder ofNewRun(CheckpointStore store, String job) {
        return new JobFolder(store, job, run(job, runs(store, job) + 1));
    }

    /// The folder of the last run outside a fleet; a new one without earlier runs.
    public static JobFolder ofLastRun(CheckpointStore store, String job) {
        return new JobFolder(store, job, run(job, Math.max(1, runs(store, job))));
    }

    /// The folder of a job's newest finished run outside a fleet; without one, of the newest with a checkpoint.
    ///
    /// @param name a job's id; or, for one run, with its number, of which `~1` is the first
    static String ofResult(CheckpointStore store, String name) {
        if (name.contains("~")) {
            return name.replaceFirst("~1$", "");
        }
        List<String> runs = IntStream.rangeClosed(1, runs(store, name))
                .mapToObj(number -> run(name, number))
                .toList()
                .reversed();
        if (runs.size() < 2) {
            return name;
        }
        return runs.stream()
                .filter(run -> new JobFolder(store, name, run)
                        .end()
                        .filter(FINISHED::equals)
                        .isPresent())
                .findFirst()
                .or(() -> runs.stream()
                        .filter(run -> !CheckpointKey.list(store, run).isEmpty())
                        .findFirst())
                .orElse(name);
    }

    static CheckpointName ofResult(CheckpointStore store, CheckpointName name) {
        return name.isFile() ? name : new CheckpointName(ofResult(store, name.job()), name.step(), name.best());
    }

    /// How the job ended, such as `finished`; empty if it has not ended.
    public Optional<String> end() {
        return chain().end().map(end -> ChainJson.type(end.event()));
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

    /// The name in the store, which is also used in checkpoint names.
    public String name() {
        return folder;
    }

    /// The folder of a group in the same store.
    public GroupFolder group(String name) {
        return new GroupFolder(store, name);
    }

    public JobCheckpoints checkpoints() {
        return new JobCheckpoints(store, job, folder);
    }

    /// Stores the job's specification unless one is stored already.
    ///
    /// @return false if another specification is stored under this id
    public boolean keepSpec(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        Optional<byte[]> before = spec(); // read first so that a claim of a job with many attempts is fast
        return before.isPresent()
                ? isSameJob(before.get(), bytes)
                : store.createIfAbsent(specKey(), bytes)
                        || spec().map(kept -> isSameJob(kept, bytes)).orElse(false);
    }

    /// An earlier version wrote fewer fields; missing fields have their defaults.
    private static boolean isSameJob(byte[] kept, byte[] asked) {
        try {
            return Arrays.equals(kept, asked) || JobJson.read(kept).equals(JobJson.read(asked));
        } catch (InvalidJobException e) {
            return false; // it was stored by a version with more fields
        }
    }

    /// The stored specification as JSON, if any.
    public Optional<byte[]> spec() {
        return store.read(specKey());
    }

    private String specKey() {
        return folder + "/spec.json";
    }

    public JobChain chain() {
        return JobChain.of(store, folder);
    }

    /// A link of the chain; empty if it does not exist.
    ///
    /// @throws CheckpointException if it is invalid
    public Optional<ChainLink> link(int number) {
        return JobChain.read(store, folder, number);
    }

    /// Appends a link to the chain. If several processes compete for a number, one succeeds. A link is
    /// recognized if the first answer was lost.
    ///
    /// @param last the number of the previous link, which is not an end; 0 for the first
    /// @return the link that follows: `link`, or the one that another process appended first
    public ChainLink append(int last, ChainLink link) {
        return store.createIfAbsent(JobChain.key(folder, last + 1), link.write())
                ? link
                : link(last + 1)
                        .orElseThrow(() -> new StoreException(
                                "%s was there, and cannot be read".formatted(store.uri(JobChain.key(folder, last + 1))),
                                new IOException("it is not there")));
    }

    /// Whether a later link follows the attempt. If so, the attempt must not publish or save anything.
    public boolean isSuperseded(int attempt) {
        return store.has(JobChain.key(folder, attempt + 1));
    }

    /// Begins a new attempt without a command, outside a fleet.
    ///
    /// @param worker for users who inspect the folder
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

    /// Records where an attempt resumes, before it publishes anything; see [CheckpointLineage].
    ///
    /// @param from empty if it begins at the first step
    public void noteFrom(int attempt, Optional<Checkpoint> from) {
        if (attempt > 1) { // the first attempt has no earlier checkpoints to exclude
            var _ = store.createIfAbsent(JobChain.fromKey(folder, attempt, from.orElse(null)), new byte[0]);
        }
    }

    /// Records that an attempt allocates memory and trains from now on. The record may be lost if the machine
    /// stops, which is right because the job is not the cause then.
    public void noteStarted(int attempt) {
        store.note(startedKey(attempt));
    }

    /// Records that an attempt ended for a reason unrelated to the job.
    public void noteStopped(int attempt) {
        store.delete(startedKey(attempt));
    }

    /// Records that a high-priority job preempts an attempt, before the attempt stops. Therefore no preemption
    /// is missing in the count.
    ///
    /// @param preemptor the id of the high-priority job
    public void notePreempted(int attempt, String preemptor) {
        var _ = store.createIfAbsent(
                attemptKey(attempt) + JobChain.PREEMPTED, preemptor.getBytes(StandardCharsets.UTF_8));
    }

    private String startedKey(int attempt) {
        return attemptKey(attempt) + JobChain.STARTED;
    }

    /// The stored choices of each kind of device; none if no device measured.
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

    /// Stores a session's choices before they are used. For each kind of device, the first choices are kept.
    ///
    /// @return the stored choices of the same kinds
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

    /// The model of another job to start from. A name without a step is resolved once, at the first attempt,
    /// because the other job may save newer checkpoints.
    ///
    /// @throws CheckpointException if the checkpoint does not exist or cannot be read
    public SavedModel source(CheckpointName name) {
        return decide(name, exact -> SavedModel.exact(store, exact), SavedModel::name);
    }

    /// The training state of another job to continue; it is resolved like [#source].
    ///
    /// @throws CheckpointException if the checkpoint does not exist or cannot be read
    public Checkpoint continued(CheckpointName name) {
        return decide(
                        name,
                        exact -> Map.entry(
                                exact.job(),
                                new JobFolder(store, exact.job()).checkpoints().at(exact)),
                        found -> new CheckpointName(
                                found.getKey(), found.getValue().progress().step()))
                .getValue();
    }

    /// The model of the checkpoint after a step, of this job or, if it has none, of the job that it continues.
    ///
    /// @throws CheckpointException if there is none, or it is damaged
    public SavedModel model(long step, boolean continues) {
        Optional<SavedModel> own = checkpoints().model(step);
        Optional<CheckpointName> before = own.isEmpty() && continues ? source() : Optional.empty();
        return own.or(() -> before.map(name -> new JobFolder(store, name.job()).model(step, true)))
                .orElseThrow(() -> new CheckpointException("there is no checkpoint of step %d in %s"
                        .formatted(step, store.uri(CheckpointKey.folder(folder)))));
    }

    private <T> T decide(CheckpointName name, Function<CheckpointName, T> read, Function<T, CheckpointName> nameOf) {
        T found = read.apply(source().orElseGet(() -> ofResult(store, name)));
        CheckpointName exact = nameOf.apply(found);
        boolean decided = store.createIfAbsent(sourceKey(), exact.toString().getBytes(StandardCharsets.UTF_8))
                || source().map(exact::equals).orElse(false);
        return decided ? found : read.apply(source().orElseThrow());
    }

    /// The checkpoint from which the job started, with its step; empty before the start and without one.
    public Optional<CheckpointName> source() {
        return store.read(sourceKey())
                .map(bytes -> CheckpointName.parse(sourceKey(), new String(bytes, StandardCharsets.UTF_8)));
    }

    /// Stores a small file about the finished job; replaces that of an earlier end, after fewer epochs.
    public void keepResult(String name, byte[] content) {
        var _ = store.write(folder + "/results/" + name, out -> out.write(content));
    }

    /// A file that [#keepResult] stored.
    public Optional<InputStream> result(String name) {
        return store.open(folder + "/results/" + name);
    }

    private String sourceKey() {
        return folder + "/init-from";
    }
}
