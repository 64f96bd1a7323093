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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /// A command that waits is published anew at longer and longer intervals: up to so many times the first one.
    private static final int MAX_DOUBLINGS = 10;

    private static final class Watched {
        Custody custody;
        long since; // the beat of the newest sign of life, or of the newest copy
        long acted = Long.MIN_VALUE;

        Watched(Custody custody, long since) {
            this.custody = custody;
            this.since = since;
        }
    }

    private final String self;
    private final Rules rules;
    private final Map<String, Watched> jobs = new LinkedHashMap<>();
    private final Wishes wishes = new Wishes();
    private final Map<String, Long> heard = new HashMap<>();
    private final Set<String> asked = new LinkedHashSet<>(); // jobs whose wish is new, and which nobody holds
    private long beats;
    private int overlooked;

    public Keeper(String self, Rules rules) {
        this.self = self;
        this.rules = rules;
    }

    /// Takes in a record of the topic `custody`.
    ///
    /// @param custody null: the job has ended
    public void custody(String job, @Nullable Custody custody) {
        Watched known = jobs.get(job);
        if (custody == null) {
            jobs.remove(job);
            asked.remove(job);
        } else if (known != null) {
            if (custody.request().attempt() >= known.custody.request().attempt()) {
                known.custody = custody;
                known.since = beats;
                known.acted = Long.MIN_VALUE;
            }
        } else if (jobs.size() < rules.maxJobs()) {
            jobs.put(job, new Watched(custody, beats));
        } else {
            overlooked++;
        }
    }

    /// Takes in a record of the topic `control`.
    ///
    /// @param control null: nobody wants anything of the job any more
    /// @param fresh whether it was written since this worker watches; of an older one somebody else has told
    public void control(String job, @Nullable Control control, boolean fresh) {
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
        }
        heard.put(worker, beats);
    }

    /// A worker has said that it stops.
    public void left(String worker) {
        heard.remove(worker);
    }

    private void sign(String worker, String job, int attempt) {
        Watched watched = jobs.get(job);
        if (watched == null || attempt < watched.custody.request().attempt()) {
            return;
        }
        Request request = watched.custody.request();
        boolean isHeld = watched.custody.state() == State.HELD && attempt == request.attempt();
        if (!isHeld) { // the record is older than what the worker says of itself
            watched.custody = Custody.held(request.attempt(attempt), worker);
        }
        watched.since = beats;
    }

    /// A job that another worker has, if one does.
    public Optional<JobSpec> underWay() {
        return jobs.values().stream()
                .map(watched -> watched.custody)
                .filter(custody ->
                        custody.state() == State.HELD && !custody.worker().equals(self))
                .reduce((_, later) -> later)
                .map(custody -> custody.request().job());
    }

    /// The commands of those that rest at a rung, and that nobody wants to rest or end besides.
    public List<Request> resting() {
        return jobs.entrySet().stream()
                .filter(job -> job.getValue().custody.isResting() && wish(job.getKey()) == Wish.RUN)
                .map(job -> wishes.urgent(job.getValue().custody.request()))
                .toList();
    }

    /// The group of a job that is watched; null where it has none.
    public @Nullable String group(String job) {
        Watched watched = jobs.get(job);
        return watched == null ? null : watched.custody.request().job().group();
    }

    /// What somebody wants of a job.
    public Wish wish(String job) {
        return wishes.of(job);
    }

    /// Who has a job, or what it waits for; null where that is not known.
    public @Nullable Custody custody(String job) {
        Watched watched = jobs.get(job);
        return watched == null ? null : watched.custody;
    }

    /// The custodies of jobs that somebody has, each as urgent as it is wished to be.
    public List<Custody> held() {
        return jobs.values().stream()
                .map(watched -> watched.custody)
                .filter(custody -> custody.state() == State.HELD)
                .map(custody -> Custody.held(wishes.urgent(custody.request()), custody.worker()))
                .toList();
    }

    /// How many jobs are not watched, because there were too many.
    public int overlooked() {
        return overlooked;
    }

    /// The workers that are heard, this one included.
    public Set<String> live() {
        Set<String> live = new HashSet<>();
        heard.forEach((worker, beat) -> {
            if (beats - beat < rules.beats()) {
                live.add(worker);
            }
        });
        live.add(self);
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
        Set<String> idle = live();
        held().forEach(custody -> idle.remove(custody.worker()));
        return idle;
    }

    /// What is to be done now, once: whoever asks does it.
    public List<Duty> due() {
        heard.values().removeIf(beat -> beats - beat >= rules.beats());
        List<Duty> due = new ArrayList<>();
        jobs.forEach((job, watched) -> {
            Duty duty = duty(job, watched);
            boolean acted = watched.acted != Long.MIN_VALUE && beats - watched.acted < rules.beats();
            if (duty != null && !acted) {
                watched.acted = beats;
                due.add(duty);
            }
        });
        for (String job : List.copyOf(asked)) {
            if (tell(job, due)) {
                asked.remove(job);
            }
        }
        return due;
    }

    private @Nullable Duty duty(String job, Watched watched) {
        Custody custody = watched.custody;
        Request request = wishes.urgent(custody.request());
        return switch (custody.state()) {
            case HELD ->
                after(rules.beats(), watched, new Duty.Republish(request.attempt(request.attempt() + 1), 1, false));
            case WAITING -> {
                long patience = (long) rules.beats() << Math.min(custody.copies(), MAX_DOUBLINGS);
                yield wish(job) == Wish.CANCEL
                        ? after(0, watched, new Duty.Cancel(job))
                        : after(patience, watched, new Duty.Republish(request, custody.copies() + 1, false));
            }
            case PAUSED ->
                switch (wish(job)) {
                    case PAUSE -> null;
                    case CANCEL -> after(0, watched, new Duty.Cancel(job));
                    case RUN ->
                        custody.isResting() && !wishes.isRunOn(job)
                                ? null // whether it goes on the store says: see [Resting]
                                : after(0, watched, new Duty.Republish(request, 1, true));
                };
        };
    }

    /// The duty, once so many beats have passed, and those that the workers before this one have.
    private @Nullable Duty after(long patience, Watched watched, Duty duty) {
        long quiet = beats - watched.since;
        return quiet >= patience && quiet >= patience + (long) BEATS_APART * rank(duty.job()) ? duty : null;
    }

    /// What is wanted of a job that nobody has: it may be in the queue still, or never have been.
    ///
    /// @return whether somebody else sees to it
    private boolean tell(String job, List<Duty> due) {
        Watched watched = jobs.get(job);
        if (watched != null && watched.custody.state() != State.WAITING) {
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
