package io.trainyard.custody;

import io.trainyard.custody.Custody.State;
import io.trainyard.event.Control;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.WorkerStatus;
import io.trainyard.share.Load;
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

/// Watches all custodies of a fleet and says what this worker has to do about them. Every worker has one.
///
/// No clock is compared with another: time is the number of this worker's own heartbeats that have appeared in the
/// one partition that everybody's are in. A broker that stands still stops everyone's time; a keeper that stood
/// still judges nobody by the time that it missed.
///
/// Of the workers that are heard, one is first for each job; the others act later, in a fixed order, in case it
/// does not. Two that act are one too many, and harmless: the store voids a copy. Not thread-safe.
public final class Keeper {
    /// @param beats of this worker's, within which a holder has to be heard
    /// @param maxJobs the most jobs that are watched; past it a new one is not, and [#overlooked] counts it
    public record Rules(int beats, int maxJobs) {}

    /// How much later, in beats, the next in the order acts.
    private static final int BEATS_APART = 2;

    /// Stands for the group of jobs that have none; no group's name is empty.
    private static final String NO_GROUP = "";

    /// After so many of all that may be watched have ended, those that were not watched are read again.
    private static final int ROOM_AGAIN = 10;

    /// So many jobs that are not watched are known by name, however few may be watched.
    private static final int MIN_NAMES = 16;

    /// A command that waits is published anew at longer and longer intervals: up to so many times the first one.
    private static final int MAX_DOUBLINGS = 10;

    /// Jobs whose commands are alike: the first one's is the dictionary of the others.
    private static final class Group {
        final @Nullable String name; // null: of jobs that have none
        final byte[] dictionary;
        int jobs;

        Group(@Nullable String name, byte[] dictionary) {
            this.name = name;
            this.dictionary = dictionary;
        }
    }

    /// A job, in few bytes unless a worker has it: as many may wait or rest as there are, and no more may be owned than
    /// the fleet has slots.
    private static final class Watched {
        final Group group;
        State state = State.WAITING;
        int attempt;
        int copies;
        boolean resting;

        @Nullable
        Custody whole;

        @Nullable
        Packed packed;

        long since; // the beat of the newest sign of life, or of the newest copy
        long acted = Long.MIN_VALUE;

        Watched(Group group, Custody custody, long since) {
            this.group = group;
            this.since = since;
            set(custody);
        }

        void set(Custody custody) {
            boolean isHeld = custody.state() == State.HELD;
            state = custody.state();
            attempt = custody.request().attempt();
            copies = custody.copies();
            resting = custody.isResting();
            whole = isHeld ? custody : null;
            packed = isHeld ? null : Packed.of(custody, group.dictionary);
        }

        Custody custody() {
            return whole == null ? Objects.requireNonNull(packed).unpack(group.dictionary) : whole;
        }
    }

    private final String self;
    private final Rules rules;
    private final Map<String, Watched> jobs = new HashMap<>();
    private final Map<String, Group> groups = new HashMap<>();
    private final Wishes wishes;
    private final Map<String, Long> heard = new HashMap<>();
    private @Nullable Set<String> live; // null: since it was last asked for, it may have changed
    private final Set<String> asked = new LinkedHashSet<>(); // jobs whose wish is new, and which nobody holds
    private final Set<String> changed =
            new LinkedHashSet<>(); // jobs of which something was read since they were judged
    private long judged = Long.MIN_VALUE; // the beat at which all jobs were
    private long beats;
    private final Set<String> overlooked = new HashSet<>(); // jobs that have not ended and are not watched
    private int unnamed; // more of them, and some may have ended
    private final Set<String> wanted = new HashSet<>(); // those, while the topic is read again; they have reserved room
    private int reserved; // for those of them that are not watched yet

    /// @param wishes are written here, and read by others
    public Keeper(String self, Rules rules, Wishes wishes) {
        this.self = self;
        this.rules = rules;
        this.wishes = wishes;
    }

    /// Takes in a record of the topic `custody`.
    ///
    /// @param custody null: the job has ended
    public void custody(String job, @Nullable Custody custody) {
        Watched known = jobs.get(job);
        changed.add(job);
        if (custody == null) {
            if (jobs.remove(job) != null) {
                leave(Objects.requireNonNull(known).group);
                reserved += wanted.contains(job) ? 1 : 0; // an older owner may still have written after the end
            }
            asked.remove(job);
            overlooked.remove(job);
        } else if (known != null) {
            if (custody.request().attempt() >= known.attempt) {
                known.set(custody);
                known.since = beats;
                known.acted = Long.MIN_VALUE;
            }
        } else if (hasRoom(job)) {
            jobs.put(job, new Watched(join(custody), custody, beats));
            reserved -= wanted.contains(job) ? 1 : 0;
        } else {
            overlook(job);
        }
    }

    private boolean hasRoom(String job) {
        return jobs.size() + (wanted.contains(job) ? 0 : reserved) < rules.maxJobs();
    }

    private void overlook(String job) {
        if (overlooked.size() < Math.max(MIN_NAMES, rules.maxJobs() / ROOM_AGAIN)) {
            overlooked.add(job);
        } else if (!overlooked.contains(job)) {
            unnamed++;
        }
    }

    private Group join(Custody custody) {
        String name = custody.request().job().group();
        Group group = groups.computeIfAbsent(
                name == null ? NO_GROUP : name, _ -> new Group(name, CustodyJson.write(custody)));
        group.jobs++;
        return group;
    }

    private void leave(Group group) {
        if (--group.jobs == 0) {
            groups.remove(group.name == null ? NO_GROUP : group.name);
        }
    }

    /// Whether jobs that were not watched may be read again, because others have ended.
    public boolean hasRoomAgain() {
        return overlooked() > 0 && jobs.size() < rules.maxJobs() - rules.maxJobs() / ROOM_AGAIN;
    }

    /// The topic `custody` is read again from its beginning. Jobs in it that have ended by now must not take the
    /// capacity of unwatched jobs: otherwise it would be read again without end.
    public void readAgain() {
        wanted.addAll(overlooked);
        reserved = wanted.size();
        overlooked.clear();
        unnamed = 0;
    }

    /// The topic `custody` has been read to its end.
    public void caughtUp() {
        wanted.clear();
        reserved = 0;
    }

    /// Takes in a record of the topic `control`.
    ///
    /// @param control null: nobody wants anything of the job any more
    /// @param fresh whether it was written since this worker watches; of an older one somebody else has told
    public void control(String job, @Nullable Control control, boolean fresh) {
        changed.add(job);
        if (control == null) {
            wishes.remove(job);
            asked.remove(job);
            return;
        }
        Wish before = wish(job);
        wishes.add(job, control);
        if (fresh && before != control.wish()) {
            asked.add(job);
        }
    }

    /// Takes in a heartbeat, in the order of the log.
    ///
    /// @param held what the worker says that it has
    public void heard(String worker, List<WorkerStatus.Job> held) {
        held.forEach(one -> sign(worker, one.job(), one.attempt()));
        if (worker.equals(self)) {
            beats++;
            live = null;
        }
        if (heard.put(worker, beats) == null) {
            live = null;
        }
    }

    /// A worker has said that it stops.
    public void left(String worker) {
        heard.remove(worker);
        live = null;
    }

    private void sign(String worker, String job, int attempt) {
        Watched watched = jobs.get(job);
        if (watched == null || attempt < watched.attempt) {
            return;
        }
        boolean isHeld = watched.state == State.HELD && attempt == watched.attempt;
        if (!isHeld) { // the record is older than what the worker says of itself
            watched.set(Custody.held(watched.custody().request().attempt(attempt), worker));
            changed.add(job);
        }
        watched.since = beats;
    }

    /// A job that another worker has, if one does.
    public Optional<JobSpec> underWay() {
        return wholes().filter(custody -> !custody.worker().equals(self))
                .reduce((_, later) -> later)
                .map(custody -> custody.request().job());
    }

    /// Of those that a worker has.
    private Stream<Custody> wholes() {
        return jobs.values().stream().map(watched -> watched.whole).filter(Objects::nonNull);
    }

    /// The jobs that are paused at a rung, and that nobody wants to pause or end as well, by their groups.
    public Map<String, List<String>> resting() {
        Map<String, List<String>> resting = new HashMap<>();
        jobs.forEach((job, watched) -> {
            String group = watched.group.name;
            if (watched.resting && group != null && wish(job) == Wish.RUN) {
                resting.computeIfAbsent(group, _ -> new ArrayList<>()).add(job);
            }
        });
        return resting;
    }

    /// The command of a job that is watched.
    public Request request(String job) {
        return wishes.urgent(
                Objects.requireNonNull(jobs.get(job), job).custody().request());
    }

    /// The group of a job that is watched; null where it has none.
    public @Nullable String group(String job) {
        Watched watched = jobs.get(job);
        return watched == null ? null : watched.group.name;
    }

    /// What somebody wants of a job.
    public Wish wish(String job) {
        return wishes.of(job);
    }

    /// Who has a job, or what it waits for; null where that is not known.
    public @Nullable Custody custody(String job) {
        Watched watched = jobs.get(job);
        return watched == null ? null : watched.custody();
    }

    /// The custodies of jobs that somebody has, each as urgent as it is wished to be.
    public List<Custody> held() {
        return wholes().map(custody -> Custody.held(wishes.urgent(custody.request()), custody.worker()))
                .toList();
    }

    /// How many jobs are not watched, because there were too many.
    public int overlooked() {
        return overlooked.size() + unnamed;
    }

    /// The workers that are heard, this one included.
    public Set<String> live() {
        if (live == null) {
            Set<String> now = new HashSet<>(Set.of(self));
            heard.forEach((worker, beat) -> {
                if (beats - beat < rules.beats()) {
                    now.add(worker);
                }
            });
            live = Set.copyOf(now);
        }
        return live;
    }

    /// What each project has of the fleet: the jobs that somebody holds.
    public Map<String, Load> loads() {
        Map<String, Load> loads = new HashMap<>();
        held().forEach(custody -> {
            JobSpec job = custody.request().job();
            loads.merge(job.projectName(), new Load(1, job.allDevices().size()), Load::plus);
        });
        return loads;
    }

    /// The workers that are heard and hold nothing.
    public Set<String> idle() {
        Set<String> idle = new HashSet<>(live());
        held().forEach(custody -> idle.remove(custody.worker()));
        return idle;
    }

    /// What is to be done now, once: whoever asks does it. Of a job of which nothing was read something becomes
    /// due only by this worker's own heartbeats, so between two of them the others are not looked at.
    public List<Duty> due() {
        List<Duty> due = new ArrayList<>();
        if (judged == beats) {
            changed.forEach(job -> judge(job, jobs.get(job), due));
        } else {
            judged = beats;
            heard.values().removeIf(beat -> beats - beat >= rules.beats());
            jobs.forEach((job, watched) -> judge(job, watched, due));
        }
        changed.clear();
        for (String job : List.copyOf(asked)) {
            if (tell(job, due)) {
                asked.remove(job);
            }
        }
        return due;
    }

    private void judge(String job, @Nullable Watched watched, List<Duty> due) {
        if (watched == null || (watched.acted != Long.MIN_VALUE && beats - watched.acted < rules.beats())) {
            return;
        }
        Duty duty = duty(job, watched);
        if (duty != null) {
            watched.acted = beats;
            due.add(duty);
        }
    }

    private @Nullable Duty duty(String job, Watched watched) {
        return switch (watched.state) {
            case HELD ->
                isDue(rules.beats(), job, watched)
                        ? new Duty.Republish(request(job).attempt(watched.attempt + 1), 1, false)
                        : null;
            case WAITING -> {
                long patience = (long) rules.beats() << Math.min(watched.copies, MAX_DOUBLINGS);
                if (wish(job) == Wish.CANCEL) {
                    yield isDue(0, job, watched) ? new Duty.Cancel(job) : null;
                }
                yield isDue(patience, job, watched)
                        ? new Duty.Republish(request(job), watched.copies + 1, false)
                        : null;
            }
            case PAUSED ->
                switch (wish(job)) {
                    case PAUSE -> null;
                    case CANCEL -> isDue(0, job, watched) ? new Duty.Cancel(job) : null;
                    case RUN ->
                        // Whether one that rests goes on the store says: see [Resting].
                        (!watched.resting || wishes.isRunOn(job)) && isDue(0, job, watched)
                                ? new Duty.Republish(request(job), 1, true)
                                : null;
                };
        };
    }

    /// Whether so many beats have passed, and those that the workers before this one have.
    private boolean isDue(long patience, String job, Watched watched) {
        long quiet = beats - watched.since;
        return quiet >= patience && quiet >= patience + (long) BEATS_APART * rank(job);
    }

    /// What is wanted of a job that nobody has: it may be in the queue still, or never have been.
    ///
    /// @return whether somebody else sees to it
    private boolean tell(String job, List<Duty> due) {
        Watched watched = jobs.get(job);
        if (watched != null && watched.state != State.WAITING) {
            return true; // its holder obeys, or the custody itself is a duty
        }
        if (rank(job) > 0) {
            return true; // the first in the order tells it; whoever takes the command obeys in any case
        }
        switch (wish(job)) {
            case CANCEL -> {
                if (watched == null) {
                    due.add(new Duty.Cancel(job));
                }
            }
            case PAUSE -> due.add(new Duty.TellPaused(job));
            case RUN -> due.add(new Duty.TellResumed(job));
        }
        return true;
    }

    /// How many of the workers that are heard come before this one for that job.
    private int rank(String job) {
        return rank(job, live());
    }

    /// How many of some workers come before this one for that job.
    int rank(String job, Set<String> workers) {
        return Rank.of(self, job, workers);
    }

    /// This worker.
    String self() {
        return self;
    }

    /// This worker's own heartbeats so far, as they came back.
    public long beats() {
        return beats;
    }
}
