package io.trainyard.forecast;

import io.trainyard.custody.ClaimOrder;
import io.trainyard.custody.PreemptionRule;
import io.trainyard.custody.PreemptionRule.Seat;
import io.trainyard.custody.Waiting;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.forecast.WorldQueue.Job;
import io.trainyard.forecast.WorldQueue.Ready;
import io.trainyard.share.Load;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A fleet that is simulated, one event after the other, and tells of itself what a real one tells: commands and
/// events.
/// Of a forecast it is asked now and then what becomes of each job that waits, and remembers the answers until the jobs
/// begin.
final class ForecastWorld {
    static final String PREFIX = "t.";

    /// Steps of an epoch, and samples of a step, of all jobs.
    private static final int STEPS = 100;

    private static final int BATCH = 10;

    /// How long something urgent waits for a worker that is free.
    private static final long PATIENCE_MILLIS = 400;

    /// An answer that is waited for.
    record Asked(long atMillis, String job, StartEstimate start) {
        boolean covers(long claimMillis) {
            long waited = claimMillis - atMillis;
            return start.lowMillis() <= waited && waited <= start.highMillis();
        }
    }

    private record Event(long atMillis, long number, Runnable what) {}

    private static final class Worker {
        final String name;
        final double speed;
        final ClaimOrder order = new ClaimOrder();
        double mood;
        long moodMillis;

        @Nullable
        Running running;

        Worker(String name, double speed) {
            this.name = name;
            this.speed = speed;
        }
    }

    private static final class Running {
        final Job job;
        final int attempt;
        final long firstStep;
        final int preemptions;
        boolean makesRoom;
        long startMillis;
        int epoch = -1; // -1: it starts
        double from; // the part of the epoch that was done before
        long epochMillis;
        long epochEndMillis;

        Running(Ready ready) {
            this.job = ready.job();
            this.attempt = ready.attempt();
            this.firstStep = ready.done() + 1;
            this.preemptions = ready.preemptions();
        }
    }

    private final WorldKind kind;
    private final SplittableRandom chance;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::number));
    private final List<Worker> workers = new ArrayList<>();
    private final WorldQueue queue;
    private final double[] paces;
    private final Map<String, JobState> states = new HashMap<>();
    private final Map<String, JobFacts> facts = new HashMap<>();
    private final Map<String, List<Long>> claims = new HashMap<>();
    private final List<Asked> asked = new ArrayList<>();
    private final long[] offsets = new long[3];
    private long nowMillis = 1_000_000_000;
    private long beatMillis = nowMillis;
    private long made;
    private int numbers;
    private boolean asksOfUrgent;

    ForecastWorld(WorldKind kind, long seed) {
        this.kind = kind;
        this.chance = new SplittableRandom(seed);
        queue = new WorldQueue(kind.shares());
        paces = chance.doubles(kind.networks())
                .map(u -> 2e-3 * Math.pow(kind.spread(), u))
                .toArray();
        for (int i = 0; i < kind.workers(); i++) {
            workers.add(new Worker("w" + i, Math.exp(kind.speeds() * chance.nextGaussian())));
        }
        publish(kind.history());
        while (claims.size() < kind.history()) {
            run(meanSeconds() / 4);
        }
        publish(kind.backlog());
        if (kind.load() > 0) {
            arrive();
        }
    }

    private void at(long millis, Runnable what) {
        events.add(new Event(millis, made++, what));
    }

    private void arrive() {
        double seconds = meanSeconds() / (kind.workers() * kind.load()) * chance.nextExponential();
        at(nowMillis + Math.round(1e3 * seconds), () -> {
            publish();
            arrive();
        });
    }

    private double meanSeconds() {
        double pace = 0;
        for (double one : paces) {
            pace += one / paces.length;
        }
        return 3 + pace * STEPS * BATCH * (1 + kind.epochs()) / 2;
    }

    private void publish(int jobs) {
        for (int i = 0; i < jobs; i++) {
            publish();
        }
    }

    private void publish() {
        double luck = chance.nextDouble();
        Urgency urgency = luck < kind.urgent() ? Urgency.HIGH : luck < 2 * kind.urgent() ? Urgency.LOW : Urgency.NORMAL;
        List<String> projects = List.copyOf(kind.shares().named().keySet());
        String project = projects.isEmpty() ? "default" : projects.get(numbers % projects.size());
        int network = chance.nextInt(paces.length);
        int epochs = 1 + chance.nextInt(kind.epochs());
        boolean stops = chance.nextDouble() < kind.stopping();
        String id = "j" + numbers++;
        JobSpec spec = spec(id, network, epochs, stops, project);
        int never = Integer.MAX_VALUE;
        double pace = paces[network] * Math.exp(0.05 * chance.nextGaussian());
        Job job = new Job(
                id,
                spec,
                urgency,
                pace,
                stops ? 1 + chance.nextInt(epochs) : never,
                chance.nextDouble() < kind.failing() ? chance.nextInt(epochs) : never);
        request(new Ready(job, 1, 0, 0));
    }

    private void request(Ready ready) {
        Job job = ready.job();
        int urgency = job.urgency().ordinal();
        queue.add(ready);
        String topic = Priority.of(job.urgency()).topicsOf(Set.of()).getFirst().name(PREFIX);
        tell(new Requested(job.id(), job.spec(), topic + "-0 at offset " + offsets[urgency]++, nowMillis));
        takeAll();
        if (job.urgency() == Urgency.HIGH) {
            at(nowMillis + PATIENCE_MILLIS, this::makeRoom);
            if (asksOfUrgent) {
                at(nowMillis + 1, () -> ask(Set.of(job.id())));
            }
        }
    }

    private void takeAll() {
        workers.stream().filter(worker -> worker.running == null).forEach(this::take);
    }

    private static JobSpec spec(String id, int network, int epochs, boolean stops, String project) {
        return JobJson.read(String.format(
                        Locale.ROOT,
                        """
                {"id": "%s", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": %d}]},
                 "dataset": "shapes28", "epochs": %d, "batchSize": %d%s, "project": "%s"}""",
                        id,
                        10 + network,
                        epochs,
                        BATCH,
                        stops ? ", \"stopWhen\": {\"noImprovementEpochs\": 1}" : "",
                        project)
                .getBytes(StandardCharsets.UTF_8));
    }

    private void take(Worker worker) {
        for (Priority priority : worker.order.now()) {
            Ready next = queue.next(priority, loads());
            if (next != null) {
                worker.order.took();
                Running running = new Running(next);
                worker.running = running;
                at(nowMillis + 150 + chance.nextInt(200), () -> claim(worker, running));
                return;
            }
        }
        worker.running = null;
    }

    private Map<String, Load> loads() {
        Map<String, Load> loads = new HashMap<>();
        for (Worker worker : workers) {
            if (worker.running != null) {
                loads.merge(worker.running.job.project(), new Load(1, 1), Load::plus);
            }
        }
        return loads;
    }

    /// Urgent jobs that wait still take the places of others.
    private void makeRoom() {
        List<Waiting> urgent = queue.urgent(loads());
        Map<String, Worker> holders = new HashMap<>();
        List<PreemptionRule.Running> running = new ArrayList<>();
        long leaving = 0;
        for (Worker worker : workers) {
            Running its = worker.running;
            if (its != null && its.makesRoom) {
                leaving++;
            } else if (its != null && claims.containsKey(its.job.id()) && its.epoch >= 0) {
                holders.put(its.job.id(), worker);
                running.add(new PreemptionRule.Running(
                        its.job.id(), its.attempt, worker.name, Priority.of(its.job.urgency()), true, its.preemptions));
            }
        }
        List<Seat> seats = workers.stream()
                .map(worker -> new Seat(worker.name, "cpu", 3, worker.running == null ? 1 : 0))
                .toList();
        PreemptionRule.of(urgent.stream().skip(leaving).toList(), seats, running, 3)
                .forEach(room -> {
                    Worker worker =
                            Objects.requireNonNull(holders.get(room.victim().job()));
                    Running its = Objects.requireNonNull(worker.running);
                    its.makesRoom = true;
                    at(nowMillis + 300 + chance.nextInt(900), () -> release(worker, its));
                });
    }

    private void release(Worker worker, Running running) {
        if (worker.running != running || nowMillis >= running.epochEndMillis) {
            return; // it has ended, or will before it could halt
        }
        long step = step(running);
        losses(running);
        running.epochEndMillis = -1;
        happens(new Released(running.job.id(), running.attempt, step, "an urgent job needs its place", "urgent"));
        worker.running = null;
        worker.order.madeRoom();
        take(worker);
        if (worker.running == null) {
            worker.order.letGo(); // somebody else was quicker
        }
        request(new Ready(running.job, running.attempt + 1, step, running.preemptions + 1));
    }

    private void claim(Worker worker, Running running) {
        claims.computeIfAbsent(running.job.id(), _ -> new ArrayList<>()).add(nowMillis);
        happens(new Claimed(running.job.id(), running.attempt, worker.name, "cpu"));
        long startMillis = Math.round(1e3 * 1.5 * Math.exp(0.3 * chance.nextGaussian()));
        at(nowMillis + startMillis, () -> {
            running.startMillis = nowMillis;
            running.epoch = (int) ((running.firstStep - 1) / STEPS) - 1;
            happens(new Started(
                    running.job.id(),
                    running.attempt,
                    running.job.spec(),
                    "cpu",
                    null,
                    1,
                    1000,
                    100,
                    10,
                    running.firstStep,
                    STEPS,
                    List.of(),
                    null,
                    null));
            running.from = (double) ((running.firstStep - 1) % STEPS) / STEPS;
            epoch(worker, running);
            makeRoom();
        });
    }

    private void epoch(Worker worker, Running running) {
        running.epoch++;
        running.epochMillis = nowMillis;
        double seconds = running.job.pace() * STEPS * BATCH * worker.speed * Math.exp(mood(worker));
        long endMillis = nowMillis + Math.max(1, Math.round(1e3 * seconds * (1 - running.from)));
        running.epochEndMillis = endMillis;
        at(endMillis, () -> {
            if (worker.running == running) {
                endEpoch(worker, running, STEPS * BATCH / seconds);
            }
        });
    }

    /// Wanders about 0, and forgets in half an hour where it was.
    private double mood(Worker worker) {
        double kept = Math.exp(-(nowMillis - worker.moodMillis) / 1.8e6);
        worker.mood = kept * worker.mood + kind.moods() * Math.sqrt(1 - kept * kept) * chance.nextGaussian();
        worker.moodMillis = nowMillis;
        return worker.mood;
    }

    private void endEpoch(Worker worker, Running running, double imagesPerSecond) {
        Job job = running.job;
        int done = running.epoch + 1;
        losses(running);
        running.from = 0;
        happens(new EpochTested(
                job.id(),
                running.attempt,
                running.epoch,
                (long) done * STEPS,
                1,
                1,
                0.5,
                0.4,
                0.6,
                new double[0],
                new int[0][],
                1,
                1,
                imagesPerSecond,
                null,
                null));
        if (done > job.failAfter()) {
            end(worker, running, new Failed(job.id(), running.attempt, "a loss is not finite", null));
        } else if (done >= Math.min(job.spec().epochs(), job.stopAfter())) {
            at(
                    nowMillis + 500,
                    () -> end(
                            worker,
                            running,
                            new Finished(
                                    job.id(), running.attempt, (long) done * STEPS, 0.5, 1, 1, 1, 1, "", null, null)));
        } else {
            epoch(worker, running);
        }
    }

    private void end(Worker worker, Running running, TrainingEvent event) {
        if (worker.running == running) { // else it has made room at its last step
            happens(event);
            worker.running = null;
            take(worker);
            takeAll(); // whose project had its quota
        }
    }

    /// A worker tells of steps all the time; here it does when somebody looks.
    private void losses(Running running) {
        if (running.startMillis == 0 || running.epochEndMillis <= 0) {
            return;
        }
        long step = step(running);
        if (step >= running.firstStep) {
            happens(new StepLosses(
                    running.job.id(),
                    running.attempt,
                    running.epoch,
                    step,
                    new float[] {1},
                    1_000 * (nowMillis - running.startMillis),
                    null));
        }
    }

    /// Steps that are done.
    private long step(Running running) {
        double part = (double) (nowMillis - running.epochMillis) / (running.epochEndMillis - running.epochMillis);
        return (long) (STEPS * (running.epoch + running.from + (1 - running.from) * Math.min(1, part)));
    }

    private void happens(TrainingEvent event) {
        tell(new Happened(event, nowMillis, null, made++));
    }

    private void tell(JobNews news) {
        JobState state = states.computeIfAbsent(news.job(), JobState::new);
        state.apply(news);
        facts.put(news.job(), JobFacts.of(state));
    }

    Fleet fleet() {
        workers.forEach(worker -> {
            if (worker.running != null) {
                losses(worker.running);
            }
        });
        return new Fleet(
                List.copyOf(facts.values()),
                workers.stream()
                        .map(worker -> new WorkerFacts(
                                worker.name,
                                "cpu",
                                worker.running == null || !isClaimed(worker.running)
                                        ? List.of()
                                        : List.of(worker.running.job.id()),
                                1,
                                null,
                                3))
                        .toList(),
                PREFIX,
                nowMillis,
                kind.shares());
    }

    private boolean isClaimed(Running running) {
        return claims.getOrDefault(running.job.id(), List.of()).size() >= running.attempt;
    }

    /// Lets time go by.
    void run(double seconds) {
        long endMillis = nowMillis + Math.round(1e3 * seconds);
        while (!events.isEmpty() && events.element().atMillis() <= endMillis) {
            Event next = events.remove();
            nowMillis = next.atMillis();
            beat();
            next.what().run();
        }
        nowMillis = endMillis;
        beat();
    }

    private void beat() {
        for (; beatMillis + WorldQueue.BEAT_MILLIS <= nowMillis; beatMillis += WorldQueue.BEAT_MILLIS) {
            queue.beat(loads());
        }
    }

    /// Asks of each urgent job that comes from now on what becomes of it, as soon as it is there.
    void askOfUrgent() {
        asksOfUrgent = true;
    }

    /// Asks now what becomes of each job that waits.
    void ask() {
        ask(facts.keySet());
    }

    private void ask(Set<String> jobs) {
        Forecast.of(fleet()).outlooks().values().forEach(outlook -> {
            boolean waits = jobs.contains(outlook.job()) && !outlook.reason().equals(WaitReason.BEING_TAKEN);
            if (waits && outlook.start() != null) {
                asked.add(new Asked(nowMillis, outlook.job(), outlook.start()));
            }
        });
    }

    /// Time goes by until all that was asked for is known.
    void settle() {
        for (int i = 0; i < 10_000 && asked.stream().anyMatch(one -> claimAfter(one) == Long.MAX_VALUE); i++) {
            run(meanSeconds());
        }
    }

    /// When a job was claimed next that was asked for.
    private long claimAfter(Asked one) {
        return claims.getOrDefault(one.job(), List.of()).stream()
                .mapToLong(claim -> claim)
                .filter(claim -> claim >= one.atMillis())
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    double jobSeconds() {
        return meanSeconds();
    }

    /// What was asked, each with when the job was claimed.
    Map<Asked, Long> answers() {
        Map<Asked, Long> answers = new HashMap<>();
        asked.forEach(one -> answers.put(one, claimAfter(one)));
        return answers;
    }
}
