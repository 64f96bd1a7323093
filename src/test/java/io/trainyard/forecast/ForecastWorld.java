package io.trainyard.forecast;

import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.forecast.JobFacts.Work;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.ownership.PreemptionRule;
import io.trainyard.ownership.WaitingCommand;
import io.trainyard.share.DecayedUsage;
import io.trainyard.share.ProjectLoad;
import io.trainyard.share.ProjectOrder;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/// A discrete-event simulation of a fleet by the workers' rules. From time to time it requests forecasts for
/// the waiting jobs, and records when these jobs actually begin.
final class ForecastWorld {
    private static final String PREFIX = "t.";
    private static final int STEPS = 100; // per epoch
    private static final int BATCH = 10;
    private static final long BEAT_MILLIS = 10_000;
    private static final long PATIENCE_MILLIS = 400; // wait of a high-priority job before it preempts another

    /// A forecast with a pending outcome.
    record Asked(long atMillis, Job job, StartForecast.Start start) {
        boolean covers(long claimMillis) {
            return start.lowMillis() <= claimMillis && claimMillis <= start.highMillis();
        }
    }

    private record Event(long atMillis, long number, Runnable what) {}

    private static final class Worker {
        final String name;
        final double speed;
        final ClaimPriorities order = new ClaimPriorities();
        double mood;
        long moodMillis;

        @Nullable
        Job job;

        Worker(String name, double speed) {
            this.name = name;
            this.speed = speed;
        }
    }

    /// A job with its full state, including what the fleet does not know.
    static final class Job {
        final String id;
        final Work work;
        final RequestedPriority requestedPriority;
        final double pace;
        final int lastEpoch; // the last epoch that it trains
        final boolean fails;
        final List<Long> claims = new ArrayList<>();
        Status status = Status.QUEUED;
        int attempt;

        @Nullable
        String worker;

        String command = "";
        long commandMillis;
        long firstMillis;
        long lastRecordMillis;
        long startMillis; // of the newest attempt, like the fields below
        long firstStep = 1;
        long step;
        long publishedMillis; // when that step was published
        long endMillis;
        int preemptions;
        boolean preempted;
        int epoch = -1; // -1 while it starts
        double from; // the fraction of the epoch that was done before
        long epochMillis;
        long epochEndMillis;

        Job(String id, Work work, RequestedPriority requestedPriority, double pace, int lastEpoch, boolean fails) {
            this.id = id;
            this.work = work;
            this.requestedPriority = requestedPriority;
            this.pace = pace;
            this.lastEpoch = lastEpoch;
            this.fails = fails;
        }

        String project() {
            return String.valueOf(work.project());
        }

        /// The published facts about the job.
        JobFacts facts() {
            long claimMillis = attempt == 0 ? 0 : claims.getLast();
            long micros = startMillis == 0 || step < firstStep ? 0 : 1_000 * (publishedMillis - startMillis);
            return new JobFacts(
                    id,
                    status,
                    attempt,
                    worker,
                    worker == null ? null : "cpu",
                    work,
                    command,
                    commandMillis,
                    firstMillis,
                    lastRecordMillis,
                    0,
                    claimMillis,
                    startMillis,
                    firstStep,
                    step,
                    startMillis == 0 && step == 0 ? 0 : (long) STEPS * work.epochs(),
                    micros,
                    endMillis,
                    null,
                    preemptions);
        }
    }

    private final WorldKind kind;
    private final SplittableRandom chance;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::number));
    private final List<Worker> workers = new ArrayList<>();
    private final List<Job> jobs = new ArrayList<>();
    private final Map<RequestedPriority, Deque<Job>> queues = new EnumMap<>(RequestedPriority.class);
    private final double windowBeats;
    private final DecayedUsage usage;
    private final double[] paces;
    private final List<Asked> asked = new ArrayList<>();
    private long nowMillis = 1_000_000_000;
    private long beatMillis = nowMillis;
    private long made;
    private long offset;
    private boolean asksForHighPriority;

    ForecastWorld(WorldKind kind, long seed) {
        this.kind = kind;
        this.chance = new SplittableRandom(seed);
        windowBeats = (double) kind.shares().window().toMillis() / BEAT_MILLIS;
        usage = new DecayedUsage(windowBeats);
        for (RequestedPriority requestedPriority : RequestedPriority.values()) {
            queues.put(requestedPriority, new ArrayDeque<>());
        }
        paces = chance.doubles(kind.networks())
                .map(u -> 2e-3 * Math.pow(kind.spread(), u))
                .toArray();
        for (int i = 0; i < kind.workers(); i++) {
            workers.add(new Worker("w" + i, Math.exp(kind.speeds() * chance.nextGaussian())));
        }
        publish(kind.history());
        while (jobs.stream().anyMatch(job -> job.claims.isEmpty())) {
            run(jobSeconds() / 4);
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
        double seconds = jobSeconds() / (kind.workers() * kind.load()) * chance.nextExponential();
        at(nowMillis + Math.round(1e3 * seconds), () -> {
            publish(1);
            arrive();
        });
    }

    double jobSeconds() {
        return 3 + DoubleStream.of(paces).average().orElse(0) * STEPS * BATCH * (1 + kind.epochs()) / 2;
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            double luck = chance.nextDouble();
            RequestedPriority requestedPriority = luck < kind.highPriority()
                    ? RequestedPriority.HIGH
                    : luck < 2 * kind.highPriority() ? RequestedPriority.LOW : RequestedPriority.NORMAL;
            List<String> projects = List.copyOf(kind.shares().named().keySet());
            String project = projects.isEmpty() ? "default" : projects.get(jobs.size() % projects.size());
            int network = chance.nextInt(paces.length);
            int epochs = 1 + chance.nextInt(kind.epochs());
            boolean stops = chance.nextDouble() < kind.stopping();
            double pace = paces[network] * Math.exp(0.05 * chance.nextGaussian());
            int last = stops ? 1 + chance.nextInt(epochs) : epochs;
            int failed = chance.nextDouble() < kind.failing() ? chance.nextInt(epochs) + 1 : Integer.MAX_VALUE;
            Work work = new Work("auto", "n" + network, "d", BATCH, epochs, "FP32", 1, stops, false, project);
            Job job = new Job("j" + jobs.size(), work, requestedPriority, pace, Math.min(last, failed), failed <= last);
            job.firstMillis = nowMillis;
            jobs.add(job);
            request(job);
        }
    }

    /// Publishes its command.
    private void request(Job job) {
        job.status = Status.QUEUED;
        job.commandMillis = nowMillis;
        job.lastRecordMillis = nowMillis;
        String topic =
                Priority.of(job.requestedPriority).topicsOf(Set.of()).getFirst().name(PREFIX);
        job.command = topic + "-0 at offset " + offset++;
        queue(job).addLast(job);
        takeAll();
        if (job.requestedPriority == RequestedPriority.HIGH) {
            at(nowMillis + PATIENCE_MILLIS, this::freeSpace);
            if (asksForHighPriority) {
                at(nowMillis + 1, () -> ask(List.of(job)));
            }
        }
    }

    private Deque<Job> queue(Job job) {
        return queues.getOrDefault(job.requestedPriority, new ArrayDeque<>());
    }

    private void takeAll() {
        workers.stream().filter(worker -> worker.job == null).forEach(this::take);
    }

    private void take(Worker worker) {
        for (Priority priority : worker.order.now()) {
            ProjectOrder projectOrder = projectOrder();
            Deque<Job> queue = queues.getOrDefault(priority.requested(), new ArrayDeque<>());
            String project = projectOrder
                    .next(queue.stream().map(Job::project).distinct())
                    .orElse(null);
            Job job = queue.stream()
                    .filter(its -> kind.shares().isNone() || its.project().equals(project))
                    .findFirst()
                    .orElse(null);
            if (job != null) {
                queue.remove(job);
                worker.order.claimed();
                worker.job = job;
                at(nowMillis + 150 + chance.nextInt(200), () -> claim(worker, job));
                return;
            }
        }
    }

    private ProjectOrder projectOrder() {
        return kind.shares().isNone()
                ? ProjectOrder.NONE
                : ProjectOrder.of(kind.shares(), windowBeats, usage.used(), loads());
    }

    private Map<String, ProjectLoad> loads() {
        Map<String, ProjectLoad> loads = new HashMap<>();
        workers.stream()
                .filter(worker -> worker.job != null)
                .forEach(worker -> loads.merge(worker.job.project(), new ProjectLoad(1, 1), ProjectLoad::plus));
        return loads;
    }

    /// Waiting high-priority jobs preempt running ones.
    private void freeSpace() {
        ProjectOrder projectOrder = projectOrder();
        Map<String, Worker> holders = new HashMap<>();
        List<PreemptionRule.Running> running = new ArrayList<>();
        long leaving = workers.stream()
                .filter(one -> one.job != null && one.job.preempted)
                .count();
        for (Worker worker : workers) {
            Job job = worker.job;
            if (job != null && !job.preempted && job.epoch >= 0) {
                holders.put(job.id, worker);
                running.add(new PreemptionRule.Running(
                        job.id, job.attempt, worker.name, Priority.of(job.requestedPriority), true, job.preemptions));
            }
        }
        List<WaitingCommand> highPriority = queues.getOrDefault(RequestedPriority.HIGH, new ArrayDeque<>()).stream()
                .filter(job -> projectOrder.hasCapacity(job.project()))
                .skip(leaving)
                .map(job -> new WaitingCommand(
                        Topic.COMMANDS_HIGH,
                        0,
                        job.id,
                        job.attempt + 1,
                        Priority.HIGH,
                        "auto",
                        1,
                        job.project(),
                        Set.of()))
                .toList();
        List<PreemptionRule.LiveWorker> seats = workers.stream()
                .map(one -> new PreemptionRule.LiveWorker(one.name, "cpu", 3, one.job == null ? 1 : 0))
                .toList();
        PreemptionRule.of(highPriority, seats, running, PreemptionRule.MOST).forEach(space -> {
            Worker worker = Objects.requireNonNull(holders.get(space.victim().job()));
            Job job = Objects.requireNonNull(worker.job);
            job.preempted = true;
            at(nowMillis + 300 + chance.nextInt(900), () -> release(worker, job));
        });
    }

    private void release(Worker worker, Job job) {
        if (worker.job != job || !job.preempted || nowMillis >= job.epochEndMillis) {
            return; // the job has ended, or ends before it could stop
        }
        publishSteps(job);
        job.preemptions++;
        job.preempted = false;
        job.epoch = -1;
        worker.job = null;
        worker.order.preempted();
        take(worker);
        if (worker.job == null) {
            worker.order.releasePlaces(); // another worker was faster
        }
        request(job);
    }

    private void claim(Worker worker, Job job) {
        job.status = Status.RUNNING;
        job.attempt++;
        job.worker = worker.name;
        job.claims.add(nowMillis);
        job.lastRecordMillis = nowMillis;
        job.startMillis = 0;
        job.firstStep = job.step + 1;
        job.preempted = false;
        job.epoch = -1;
        int attempt = job.attempt;
        at(nowMillis + Math.round(1e3 * 1.5 * Math.exp(0.3 * chance.nextGaussian())), () -> {
            job.startMillis = nowMillis;
            job.lastRecordMillis = nowMillis;
            job.epoch = (int) (job.step / STEPS) - 1;
            job.from = (double) (job.step % STEPS) / STEPS;
            epoch(worker, job, attempt);
            freeSpace();
        });
    }

    private void epoch(Worker worker, Job job, int attempt) {
        job.epoch++;
        job.epochMillis = nowMillis;
        double seconds = job.pace * STEPS * BATCH * worker.speed * Math.exp(mood(worker));
        job.epochEndMillis = nowMillis + Math.max(1, Math.round(1e3 * seconds * (1 - job.from)));
        at(job.epochEndMillis, () -> {
            if (worker.job == job && job.attempt == attempt) {
                publishSteps(job);
                job.from = 0;
                if (job.epoch + 1 < job.lastEpoch) {
                    epoch(worker, job, attempt);
                } else {
                    at(nowMillis + (job.fails ? 0 : 500), () -> end(worker, job, attempt));
                }
            }
        });
    }

    /// A random drift around 0 with a time constant of half an hour.
    private double mood(Worker worker) {
        double kept = Math.exp(-(nowMillis - worker.moodMillis) / 1.8e6);
        worker.mood = kept * worker.mood + kind.moods() * Math.sqrt(1 - kept * kept) * chance.nextGaussian();
        worker.moodMillis = nowMillis;
        return worker.mood;
    }

    private void end(Worker worker, Job job, int attempt) {
        if (worker.job == job && job.attempt == attempt) { // otherwise it was preempted at its last step
            job.status = job.fails ? Status.FAILED : Status.FINISHED;
            job.endMillis = nowMillis;
            job.lastRecordMillis = nowMillis;
            worker.job = null;
            takeAll(); // also jobs of projects that were at their quota
        }
    }

    /// Workers publish steps continuously; the simulation does so on demand.
    private void publishSteps(Job job) {
        if (job.status == Status.RUNNING && job.epoch >= 0) {
            double part = (double) (nowMillis - job.epochMillis) / (job.epochEndMillis - job.epochMillis);
            job.step = (long) (STEPS * (job.epoch + job.from + (1 - job.from) * Math.min(1, part)));
            job.publishedMillis = nowMillis;
            job.lastRecordMillis = nowMillis;
        }
    }

    private Fleet fleet() {
        jobs.forEach(this::publishSteps);
        return new Fleet(
                jobs.stream().map(Job::facts).toList(),
                workers.stream()
                        .map(worker -> WorkerStatusBuilder.of(worker.name, "cpu")
                                .job(
                                        worker.job != null && worker.job.status == Status.RUNNING
                                                ? worker.job.id
                                                : null,
                                        1)
                                .schemaVersion(3)
                                .build())
                        .toList(),
                nowMillis,
                kind.shares());
    }

    /// Advances the clock.
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
        for (; beatMillis + BEAT_MILLIS <= nowMillis; beatMillis += BEAT_MILLIS) {
            usage.beat(loads());
        }
    }

    /// From now on requests a forecast for each high-priority job at its submission.
    void askForHighPriority() {
        asksForHighPriority = true;
    }

    /// Requests forecasts for all waiting jobs now.
    void ask() {
        ask(jobs);
    }

    private void ask(Collection<Job> which) {
        Forecast forecast = Forecast.of(fleet());
        for (Job job : which) {
            StartForecast start = forecast.of(job.id);
            if (start != null && start.start() != null && !start.reason().equals("beingClaimed")) {
                asked.add(new Asked(nowMillis, job, start.start()));
            }
        }
    }

    /// Runs until all pending outcomes are known.
    void settle() {
        for (int i = 0; i < 10_000 && asked.stream().anyMatch(one -> claimAfter(one) == Long.MAX_VALUE); i++) {
            run(jobSeconds());
        }
    }

    /// The next claim of the job after the forecast.
    private static long claimAfter(Asked one) {
        return one.job().claims.stream()
                .mapToLong(claim -> claim)
                .filter(claim -> claim >= one.atMillis())
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /// The forecasts with the actual claim times.
    Map<Asked, Long> answers() {
        Map<Asked, Long> answers = new HashMap<>();
        asked.forEach(one -> answers.put(one, claimAfter(one)));
        return answers;
    }
}
