package io.trainyard.ownership;

import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.WorkerStatus;
import io.trainyard.ownership.Ownership.State;
import io.trainyard.share.ProjectLoad;
import io.trainyard.spec.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Watches the ownership of all jobs of a fleet and decides this worker's recovery actions. Every worker has
/// one.
///
/// It compares no clocks: time is the number of this worker's own heartbeats that were read back from the
/// single partition of all heartbeats. A frozen broker stops everyone's time, and a frozen monitor does not
/// count the time that it missed.
///
/// For each job one live worker is first; the others act later, in a fixed order, in case it does not. A second
/// action is harmless: the store voids duplicates. Not thread-safe.
public final class OwnershipMonitor {
    /// @param beats of this worker, within which an owner must send a heartbeat
    /// @param maxJobs the most watched jobs; beyond it [#overlooked] counts new ones
    public record Rules(int beats, int maxJobs) {}

    /// Heartbeats by which each further worker in the order acts later.
    private static final int BEATS_APART = 2;

    /// The group of jobs without a group; group names are not empty.
    private static final String NO_GROUP = "";

    /// Unwatched jobs are read again after one of this number of the watched jobs has ended.
    private static final int REREAD_DIVISOR = 10;

    /// The least number of unwatched jobs that are known by name.
    private static final int MIN_NAMES = 16;

    /// A waiting command is published again at growing intervals: the first one doubles up to this number of
    /// times.
    private static final int MAX_DOUBLINGS = 10;

    /// Jobs with similar commands: the first command is the compression dictionary of the others.
    private static final class Group {
        final @Nullable String name; // null: jobs without a group
        final byte[] dictionary;
        int jobs;

        Group(@Nullable String name, byte[] dictionary) {
            this.name = name;
            this.dictionary = dictionary;
        }
    }

    /// A job, compact unless it has an owner: any number of jobs may wait or be paused, but the fleet's slots
    /// limit the owned ones.
    private static final class Watched {
        final Group group;
        State state = State.WAITING;
        int attempt;
        int copies;
        boolean pausedAtRung;

        @Nullable
        Ownership unpacked;

        @Nullable
        PackedOwnership packed;

        long since; // the beat of the owner's newest heartbeat, or of the newest copy
        long acted = Long.MIN_VALUE;

        Watched(Group group, Ownership ownership, long since) {
            this.group = group;
            this.since = since;
            set(ownership);
        }

        void set(Ownership ownership) {
            boolean isOwned = ownership.state() == State.RUNNING;
            state = ownership.state();
            attempt = ownership.request().attempt();
            copies = ownership.copies();
            pausedAtRung = ownership.isPausedAtRung();
            unpacked = isOwned ? ownership : null;
            packed = isOwned ? null : PackedOwnership.of(ownership, group.dictionary);
        }

        Ownership ownership() {
            return unpacked == null ? Objects.requireNonNull(packed).unpack(group.dictionary) : unpacked;
        }
    }

    private final String self;
    private final Rules rules;
    private final Map<String, Watched> jobs = new HashMap<>();
    private final Map<String, Group> groups = new HashMap<>();
    private final ControlRequests controls;
    private final Map<String, Long> received = new HashMap<>();
    private @Nullable Set<String> live; // null if it may have changed since it was computed
    private final Set<String> newRequests =
            new LinkedHashSet<>(); // jobs with a new control request and without an owner
    private final Set<String> changed = new LinkedHashSet<>(); // jobs with new records since they were judged
    private long judged = Long.MIN_VALUE; // the beat at which all jobs were judged
    private long beats;
    private final Set<String> overlooked = new HashSet<>(); // unfinished jobs that are not watched
    private int unnamed; // more of them, and some may have ended
    private final Set<String> wanted =
            new HashSet<>(); // those, while the topic is read again; capacity is reserved for them
    private int reserved; // for those of them that are not watched yet

    public OwnershipMonitor(String self, Rules rules, ControlRequests controls) {
        this.self = self;
        this.rules = rules;
        this.controls = controls;
    }

    /// Processes a record of the topic `ownership`.
    ///
    /// @param ownership null if the job has ended
    public void ownership(String job, @Nullable Ownership ownership) {
        Watched known = jobs.get(job);
        changed.add(job);
        if (ownership == null) {
            if (jobs.remove(job) != null) {
                leave(Objects.requireNonNull(known).group);
                reserved += wanted.contains(job) ? 1 : 0; // an older owner may still have written after the end
            }
            newRequests.remove(job);
            overlooked.remove(job);
        } else if (known != null) {
            if (ownership.request().attempt() >= known.attempt) {
                known.set(ownership);
                known.since = beats;
                known.acted = Long.MIN_VALUE;
            }
        } else if (hasCapacity(job)) {
            jobs.put(job, new Watched(join(ownership), ownership, beats));
            reserved -= wanted.contains(job) ? 1 : 0;
        } else {
            overlook(job);
        }
    }

    private boolean hasCapacity(String job) {
        return jobs.size() + (wanted.contains(job) ? 0 : reserved) < rules.maxJobs();
    }

    private void overlook(String job) {
        if (overlooked.size() < Math.max(MIN_NAMES, rules.maxJobs() / REREAD_DIVISOR)) {
            overlooked.add(job);
        } else if (!overlooked.contains(job)) {
            unnamed++;
        }
    }

    private Group join(Ownership ownership) {
        String name = ownership.request().job().group();
        Group group = groups.computeIfAbsent(
                name == null ? NO_GROUP : name, _ -> new Group(name, OwnershipJson.write(ownership)));
        group.jobs++;
        return group;
    }

    private void leave(Group group) {
        if (--group.jobs == 0) {
            groups.remove(group.name == null ? NO_GROUP : group.name);
        }
    }

    /// Whether unwatched jobs may be read again, because others have ended.
    public boolean hasCapacityAgain() {
        return overlooked() > 0 && jobs.size() < rules.maxJobs() - rules.maxJobs() / REREAD_DIVISOR;
    }

    /// The topic `ownership` is read again from its beginning. Jobs in it that have ended by now must not take
    /// the capacity of unwatched jobs: otherwise it would be read again without end.
    public void readAgain() {
        wanted.addAll(overlooked);
        reserved = wanted.size();
        overlooked.clear();
        unnamed = 0;
    }

    /// The topic `ownership` has been read to its end.
    public void caughtUp() {
        wanted.clear();
        reserved = 0;
    }

    /// Processes a record of the topic `control`.
    ///
    /// @param control null if the job's control requests no longer matter
    /// @param fresh whether it was written since this worker watches; another worker has published the effect
    ///     of older ones
    public void control(String job, @Nullable Control control, boolean fresh) {
        changed.add(job);
        if (control == null) {
            controls.remove(job);
            newRequests.remove(job);
            return;
        }
        DesiredState before = desiredState(job);
        controls.add(job, control);
        if (fresh && before != control.desiredState()) {
            newRequests.add(job);
        }
    }

    /// Processes a heartbeat, in the order of the log.
    public void received(String worker, List<WorkerStatus.Job> held) {
        held.forEach(one -> sign(worker, one.job(), one.attempt()));
        if (worker.equals(self)) {
            beats++;
            live = null;
        }
        if (received.put(worker, beats) == null) {
            live = null;
        }
    }

    /// A worker has stopped in good order.
    public void stopped(String worker) {
        received.remove(worker);
        live = null;
    }

    private void sign(String worker, String job, int attempt) {
        Watched watched = jobs.get(job);
        if (watched == null || attempt < watched.attempt) {
            return;
        }
        boolean isOwned = watched.state == State.RUNNING && attempt == watched.attempt;
        if (!isOwned) { // the record is older than the heartbeat
            watched.set(Ownership.running(watched.ownership().request().attempt(attempt), worker));
            changed.add(job);
        }
        watched.since = beats;
    }

    public Optional<JobSpec> underWay() {
        return owned().filter(ownership -> !ownership.worker().equals(self))
                .reduce((_, later) -> later)
                .map(ownership -> ownership.request().job());
    }

    private Stream<Ownership> owned() {
        return jobs.values().stream().map(watched -> watched.unpacked).filter(Objects::nonNull);
    }

    /// The jobs that are paused at a rung and that no user wants paused or ended, by group.
    public Map<String, List<String>> pausedAtRung() {
        Map<String, List<String>> pausedAtRung = new HashMap<>();
        jobs.forEach((job, watched) -> {
            String group = watched.group.name;
            if (watched.pausedAtRung && group != null && desiredState(job) == DesiredState.RUN) {
                pausedAtRung.computeIfAbsent(group, _ -> new ArrayList<>()).add(job);
            }
        });
        return pausedAtRung;
    }

    public CommandContent request(String job) {
        return controls.withRequestedPriority(
                Objects.requireNonNull(jobs.get(job), job).ownership().request());
    }

    public @Nullable String group(String job) {
        Watched watched = jobs.get(job);
        return watched == null ? null : watched.group.name;
    }

    public DesiredState desiredState(String job) {
        return controls.of(job);
    }

    public @Nullable Ownership ownership(String job) {
        Watched watched = jobs.get(job);
        return watched == null ? null : watched.ownership();
    }

    /// The jobs with an owner, with their requested priorities.
    public List<Ownership> held() {
        return owned().map(ownership ->
                        Ownership.running(controls.withRequestedPriority(ownership.request()), ownership.worker()))
                .toList();
    }

    /// The number of jobs beyond the limit.
    public int overlooked() {
        return overlooked.size() + unnamed;
    }

    public Set<String> live() {
        if (live == null) {
            Set<String> now = new HashSet<>(Set.of(self));
            received.forEach((worker, beat) -> {
                if (beats - beat < rules.beats()) {
                    now.add(worker);
                }
            });
            live = Set.copyOf(now);
        }
        return live;
    }

    /// The current use of each project: its jobs with an owner.
    public Map<String, ProjectLoad> loads() {
        Map<String, ProjectLoad> loads = new HashMap<>();
        held().forEach(ownership -> {
            JobSpec job = ownership.request().job();
            loads.merge(job.projectName(), new ProjectLoad(1, job.allDevices().size()), ProjectLoad::plus);
        });
        return loads;
    }

    public Set<String> idle() {
        Set<String> idle = new HashSet<>(live());
        held().forEach(ownership -> idle.remove(ownership.worker()));
        return idle;
    }

    /// The due actions, each once. Without new records, a job's actions only become due by this worker's own
    /// heartbeats; in between, only jobs with new records are judged.
    public List<RecoveryAction> due() {
        List<RecoveryAction> due = new ArrayList<>();
        if (judged == beats) {
            changed.forEach(job -> judge(job, jobs.get(job), due));
        } else {
            judged = beats;
            received.values().removeIf(beat -> beats - beat >= rules.beats());
            jobs.forEach((job, watched) -> judge(job, watched, due));
        }
        changed.clear();
        for (String job : List.copyOf(newRequests)) {
            if (publishEffect(job, due)) {
                newRequests.remove(job);
            }
        }
        return due;
    }

    private void judge(String job, @Nullable Watched watched, List<RecoveryAction> due) {
        if (watched == null || (watched.acted != Long.MIN_VALUE && beats - watched.acted < rules.beats())) {
            return;
        }
        RecoveryAction action = action(job, watched);
        if (action != null) {
            watched.acted = beats;
            due.add(action);
        }
    }

    private @Nullable RecoveryAction action(String job, Watched watched) {
        return switch (watched.state) {
            case RUNNING ->
                isDue(rules.beats(), job, watched)
                        ? new RecoveryAction.Republish(request(job).attempt(watched.attempt + 1), 1, false)
                        : null;
            case WAITING -> {
                long patience = (long) rules.beats() << Math.min(watched.copies, MAX_DOUBLINGS);
                if (desiredState(job) == DesiredState.CANCEL) {
                    yield isDue(0, job, watched) ? new RecoveryAction.Cancel(job) : null;
                }
                yield isDue(patience, job, watched)
                        ? new RecoveryAction.Republish(request(job), watched.copies + 1, false)
                        : null;
            }
            case PAUSED ->
                switch (desiredState(job)) {
                    case PAUSE -> null;
                    case CANCEL -> isDue(0, job, watched) ? new RecoveryAction.Cancel(job) : null;
                    case RUN ->
                        // For a job that is paused at a rung the store decides: see [RungSchedule].
                        (!watched.pausedAtRung || controls.skipsRungs(job)) && isDue(0, job, watched)
                                ? new RecoveryAction.Republish(request(job), 1, true)
                                : null;
                };
        };
    }

    /// Whether this number of beats has passed, plus the time for the workers that come first.
    private boolean isDue(long patience, String job, Watched watched) {
        long quiet = beats - watched.since;
        return quiet >= patience && quiet >= patience + (long) BEATS_APART * rank(job);
    }

    /// The effect of a control request for a job without an owner. The job may be in the queue, or unknown.
    ///
    /// @return whether another worker takes care of it
    private boolean publishEffect(String job, List<RecoveryAction> due) {
        Watched watched = jobs.get(job);
        if (watched != null && watched.state != State.WAITING) {
            return true; // its owner obeys, or its ownership leads to an action
        }
        if (rank(job) > 0) {
            return true; // the first worker in the order publishes it; the worker that claims the command obeys in any
            // case
        }
        switch (desiredState(job)) {
            case CANCEL -> {
                if (watched == null) {
                    due.add(new RecoveryAction.Cancel(job));
                }
            }
            case PAUSE -> due.add(new RecoveryAction.PublishPaused(job, watched != null));
            case RUN -> due.add(new RecoveryAction.PublishResumed(job, watched != null));
        }
        return true;
    }

    private int rank(String job) {
        return rank(job, live());
    }

    int rank(String job, Set<String> workers) {
        return RendezvousRank.of(self, job, workers);
    }

    String self() {
        return self;
    }

    /// This worker's own heartbeats that were read back so far.
    public long beats() {
        return beats;
    }
}
