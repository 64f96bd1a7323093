package io.trainyard.forecast;

import io.trainyard.custody.ClaimOrder;
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
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
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

    /// How a fleet is.
    ///
    /// @param workers how many
    /// @param speeds how far workers' speeds are apart: the deviation of their logarithms
    /// @param moods how far a worker's speed wanders in time
    /// @param networks kinds of jobs: how far their paces are apart is a factor of up to `spread`
    /// @param spread of the networks' paces
    /// @param epochs a job has up to so many
    /// @param history so many jobs have run before anybody asks
    /// @param backlog how many jobs are sent then
    /// @param load jobs that come later, by how much they ask of what the workers can do
    /// @param urgent the part of jobs that is of high priority; as many are of low
    /// @param failing the part of jobs that fails on its way
    /// @param stopping the part of jobs that may stop early
    record Kind(
            int workers,
            double speeds,
            double moods,
            int networks,
            double spread,
            int epochs,
            int history,
            int backlog,
            double load,
            double urgent,
            double failing,
            double stopping) {}

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
        double mood;
        long taken;
        long moodMillis;

        @Nullable
        Running running;

        Worker(String name, double speed) {
            this.name = name;
            this.speed = speed;
        }
    }

    /// A job, as the world knows it and nobody in it.
    private record Job(String id, JobSpec spec, Urgency urgency, double pace, int stopAfter, int failAfter) {}

    private static final class Running {
        final Job job;
        long startMillis;
        int epoch = -1; // -1: it starts
        long epochMillis;
        long epochEndMillis;

        Running(Job job) {
            this.job = job;
        }
    }

    private final Kind kind;
    private final SplittableRandom chance;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::number));
    private final List<Worker> workers = new ArrayList<>();
    private final List<Deque<Job>> queues = new ArrayList<>();
    private final double[] paces;
    private final Map<String, JobState> states = new HashMap<>();
    private final Map<String, JobFacts> facts = new HashMap<>();
    private final Map<String, Long> claims = new HashMap<>();
    private final List<Asked> asked = new ArrayList<>();
    private final long[] offsets = new long[3];
    private long nowMillis = 1_000_000_000;
    private long made;
    private int numbers;

    ForecastWorld(Kind kind, long seed) {
        this.kind = kind;
        this.chance = new SplittableRandom(seed);
        paces = chance.doubles(kind.networks())
                .map(u -> 2e-3 * Math.pow(kind.spread(), u))
                .toArray();
        for (int i = 0; i < kind.workers(); i++) {
            workers.add(new Worker("w" + i, Math.exp(kind.speeds() * chance.nextGaussian())));
        }
        for (int i = 0; i < 3; i++) {
            queues.add(new ArrayDeque<>());
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
        int network = chance.nextInt(paces.length);
        int epochs = 1 + chance.nextInt(kind.epochs());
        boolean stops = chance.nextDouble() < kind.stopping();
        String id = "j" + numbers++;
        JobSpec spec = spec(id, network, epochs, stops);
        int never = Integer.MAX_VALUE;
        double pace = paces[network] * Math.exp(0.05 * chance.nextGaussian());
        Job job = new Job(
                id,
                spec,
                urgency,
                pace,
                stops ? 1 + chance.nextInt(epochs) : never,
                chance.nextDouble() < kind.failing() ? chance.nextInt(epochs) : never);
        queues.get(urgency.ordinal()).addLast(job);
        String topic =
                Priority.of(urgency).topicsOf(java.util.Set.of()).getFirst().name(PREFIX);
        tell(new Requested(id, spec, topic + "-0 at offset " + offsets[urgency.ordinal()]++, nowMillis));
        for (Worker worker : workers) {
            if (worker.running == null) {
                take(worker);
                return;
            }
        }
    }

    private static JobSpec spec(String id, int network, int epochs, boolean stops) {
        return JobJson.read(String.format(
                        Locale.ROOT,
                        """
                {"id": "%s", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": %d}]},
                 "dataset": "shapes28", "epochs": %d, "batchSize": %d%s}""",
                        id,
                        10 + network,
                        epochs,
                        BATCH,
                        stops ? ", \"stopWhen\": {\"noImprovementEpochs\": 1}" : "")
                .getBytes(StandardCharsets.UTF_8));
    }

    private void take(Worker worker) {
        for (Priority priority : ClaimOrder.after(worker.taken)) {
            Job job = queues.get(priority.ordinal()).pollFirst();
            if (job != null) {
                worker.taken++;
                Running running = new Running(job);
                worker.running = running;
                at(nowMillis + 150 + chance.nextInt(200), () -> claim(worker, running));
                return;
            }
        }
        worker.running = null;
    }

    private void claim(Worker worker, Running running) {
        claims.put(running.job.id(), nowMillis);
        happens(new Claimed(running.job.id(), 1, worker.name, "cpu"));
        long startMillis = Math.round(1e3 * 1.5 * Math.exp(0.3 * chance.nextGaussian()));
        at(nowMillis + startMillis, () -> {
            running.startMillis = nowMillis;
            happens(new Started(
                    running.job.id(),
                    1,
                    running.job.spec(),
                    "cpu",
                    null,
                    1,
                    1000,
                    100,
                    10,
                    1,
                    STEPS,
                    List.of(),
                    null,
                    null));
            epoch(worker, running);
        });
    }

    private void epoch(Worker worker, Running running) {
        running.epoch++;
        running.epochMillis = nowMillis;
        double seconds = running.job.pace() * STEPS * BATCH * worker.speed * Math.exp(mood(worker));
        running.epochEndMillis = nowMillis + Math.max(1, Math.round(1e3 * seconds));
        at(running.epochEndMillis, () -> endEpoch(worker, running, STEPS * BATCH / seconds));
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
        happens(new EpochTested(
                job.id(),
                1,
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
            end(worker, new Failed(job.id(), 1, "a loss is not finite", null));
        } else if (done >= Math.min(job.spec().epochs(), job.stopAfter())) {
            at(
                    nowMillis + 500,
                    () -> end(worker, new Finished(job.id(), 1, (long) done * STEPS, 0.5, 1, 1, 1, 1, "", null, null)));
        } else {
            epoch(worker, running);
        }
    }

    private void end(Worker worker, TrainingEvent event) {
        happens(event);
        take(worker);
    }

    /// A worker tells of steps all the time; here it does when somebody looks.
    private void losses(Running running) {
        if (running.epoch < 0) {
            return;
        }
        double part = (double) (nowMillis - running.epochMillis) / (running.epochEndMillis - running.epochMillis);
        long step = (long) (STEPS * (running.epoch + Math.min(1, part)));
        if (step > 0) {
            happens(new StepLosses(
                    running.job.id(),
                    1,
                    running.epoch,
                    step,
                    new float[] {1},
                    1_000 * (nowMillis - running.startMillis),
                    null));
        }
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
                                worker.running == null || !claims.containsKey(worker.running.job.id())
                                        ? List.of()
                                        : List.of(worker.running.job.id()),
                                1,
                                null,
                                1))
                        .toList(),
                PREFIX,
                nowMillis);
    }

    /// Lets time go by.
    void run(double seconds) {
        long endMillis = nowMillis + Math.round(1e3 * seconds);
        while (!events.isEmpty() && events.element().atMillis() <= endMillis) {
            Event next = events.remove();
            nowMillis = next.atMillis();
            next.what().run();
        }
        nowMillis = endMillis;
    }

    /// Asks now what becomes of each job that waits.
    void ask() {
        Forecast.of(fleet()).outlooks().values().forEach(outlook -> {
            if (outlook.start() != null && !(outlook.reason() instanceof WaitReason.BeingTaken)) {
                asked.add(new Asked(nowMillis, outlook.job(), outlook.start()));
            }
        });
    }

    /// Time goes by until all that was asked for is known.
    void settle() {
        for (int i = 0; i < 10_000 && asked.stream().anyMatch(one -> !claims.containsKey(one.job())); i++) {
            run(meanSeconds());
        }
    }

    double jobSeconds() {
        return meanSeconds();
    }

    /// What was asked, each with when the job was claimed.
    Map<Asked, Long> answers() {
        Map<Asked, Long> answers = new HashMap<>();
        asked.forEach(one -> answers.put(one, claims.getOrDefault(one.job(), Long.MAX_VALUE)));
        return answers;
    }
}
