package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.JobFacts.Work;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How long jobs take, learnt from those that have run: seconds for each sample of training, tests included, and what
/// a job takes besides. Jobs alike are a class; where of a job's class none has run, wider ones tell of it, and say how
/// far such a guess was off for the classes that are known.
///
/// All is in logarithms: that a guess is wrong by a factor is what is alike among jobs of seconds and of days.
final class PaceModel {
    /// The newest so many jobs of a class count.
    private static final int MAX_OF_CLASS = 50;

    /// A shorter run says nothing yet.
    private static final double MIN_SECONDS = 1;

    /// What is thought before anything is known: of jobs of one class, and of classes that have a level in common.
    private static final double WITHIN = 0.12;

    private static final double[] BETWEEN = {0, 0.3, 0.7, 1.2, 1.8};
    private static final double WORKERS = 0.05;
    private static final double BELIEF = 1; // as if so many had been seen

    /// How fast a worker is changes: of what it showed, each run counts so much of the one after it.
    private static final double KEPT = 0.75;

    /// So much of what jobs of a class are apart stays with a worker for some jobs.
    private static final double LASTING = 0.7;

    /// Of a job of which nothing is known: ten minutes, give or take a factor of seven.
    private static final double LOG_SECONDS = Math.log(600);

    private static final double ANYTHING = 2;

    /// Samples of an epoch where no job on that data set has begun.
    private static final double LOG_SAMPLES = Math.log(20_000);

    private static final double ANY_SAMPLES = 1.3;

    private record Run(List<String> levels, String worker, double logPace, long heardMillis) {}

    /// Of a class, or a wider one.
    private record Level(double mean, double deviation) {}

    private final Map<String, Double> samples = new HashMap<>(); // an epoch's, by data set
    private final Map<String, List<Run>> classes = new LinkedHashMap<>();
    private final Besides besides = new Besides();
    private final Map<String, double[]> effects = new HashMap<>(); // of workers: mean, deviation
    private final List<Map<String, Level>> known = new ArrayList<>();
    private double within = WITHIN;
    private double amongWorkers = WORKERS;

    /// How long a job takes from its claim on, all of it that is left, but for early ends.
    ///
    /// @param logSeconds the logarithm of it
    /// @param common how far all jobs of its class may be off together
    /// @param each how far each may be off besides
    /// @param cls its class
    record Guess(double logSeconds, double common, double each, String cls) {}

    PaceModel(List<JobFacts> jobs) {
        List<JobFacts> newest = jobs.stream()
                .sorted(Comparator.comparingLong(JobFacts::heardMillis)
                        .reversed()
                        .thenComparing(JobFacts::job))
                .toList();
        newest.forEach(this::learnSamples);
        newest.forEach(this::learnRun);
        fit();
    }

    private void learnSamples(JobFacts job) {
        Work work = job.work();
        if (work != null && work.epochs() > 0 && job.plannedSteps() > 0) {
            samples.putIfAbsent(work.dataset(), (double) job.plannedSteps() / work.epochs() * work.batchSize());
        }
    }

    private void learnRun(JobFacts job) {
        Work work = job.work();
        String kind = job.ranOn();
        if (work == null || kind == null) {
            return;
        }
        double all = (job.endMillis() - job.claimMillis()) / 1e3; // of its last attempt
        boolean ended = job.endMillis() > 0 && job.claimMillis() > 0 && all > 0;
        boolean whole = ended && job.part() >= 1;
        double training = job.elapsedMicros() / 1e6;
        List<String> levels = levels(work, kind);
        if (work.epochs() == 0) {
            if (ended && job.status() == Status.FINISHED) {
                add(levels, job, Math.log(all));
            }
        } else if (job.stepsOfAttempt() > 0 && training >= MIN_SECONDS) {
            add(levels, job, Math.log(training / (job.stepsOfAttempt() * (double) work.batchSize())));
            double start = (job.startMillis() - job.claimMillis()) / 1e3;
            if (whole && start > 0 && all - start > training) {
                besides.learn(levels, start, all - start - training);
            }
        }
    }

    private void add(List<String> levels, JobFacts job, double logPace) {
        List<Run> runs = classes.computeIfAbsent(levels.getFirst(), _ -> new ArrayList<>());
        if (runs.size() < MAX_OF_CLASS) {
            runs.add(new Run(levels, job.worker() == null ? "" : job.worker(), logPace, job.heardMillis()));
        }
    }

    /// From the narrowest on.
    private static List<String> levels(Work work, String kind) {
        String doing = work.epochs() == 0 ? "evaluate" : "train";
        String on = String.join("|", doing, kind, work.network(), work.dataset());
        return List.of(
                "%s|%d|%s|%d".formatted(on, work.batchSize(), work.precision(), work.devices()),
                on,
                String.join("|", doing, kind, work.network()),
                String.join("|", doing, kind),
                doing);
    }

    /// Classes and workers explain one another: twice round is enough.
    private void fit() {
        for (int round = 0; round < 2; round++) {
            Map<String, Double> means = means();
            fitWorkers(means);
        }
        Map<String, Double> means = means();
        double squares = BELIEF * WITHIN * WITHIN;
        double free = BELIEF;
        for (var one : classes.entrySet()) {
            double mean = means.getOrDefault(one.getKey(), 0.0);
            for (Run run : one.getValue()) {
                squares += square(own(run) - mean);
            }
            free += one.getValue().size() - 1;
        }
        within = Math.sqrt(squares / free);
        known.add(narrowest(means));
        for (int level = 1; level < BETWEEN.length; level++) {
            known.add(wider(level, means));
        }
    }

    private Map<String, Double> means() {
        Map<String, Double> means = new HashMap<>();
        classes.forEach((cls, runs) ->
                means.put(cls, runs.stream().mapToDouble(this::own).average().orElse(0)));
        return means;
    }

    private void fitWorkers(Map<String, Double> means) {
        Map<String, List<Run>> byWorker = new HashMap<>();
        classes.values().stream()
                .filter(runs -> runs.size() > 1)
                .flatMap(List::stream)
                .sorted(Comparator.comparingLong(Run::heardMillis).reversed())
                .forEach(run -> byWorker.computeIfAbsent(run.worker(), _ -> new ArrayList<>())
                        .add(run));
        Map<String, double[]> sums = new HashMap<>(); // weighted sum, weight
        double squares = BELIEF * WORKERS * WORKERS;
        for (var worker : byWorker.entrySet()) {
            double[] sum = new double[2];
            double weight = 1;
            for (Run run : worker.getValue()) {
                sum[0] += weight
                        * (run.logPace() - means.getOrDefault(run.levels().getFirst(), 0.0));
                sum[1] += weight;
                weight *= KEPT;
            }
            squares += square(sum[0] / sum[1]);
            sums.put(worker.getKey(), sum);
        }
        amongWorkers = Math.sqrt(squares / (BELIEF + sums.size()));
        double noise = within * within;
        double prior = amongWorkers * amongWorkers;
        sums.forEach((worker, sum) -> effects.put(worker, new double[] {
            sum[0] / (sum[1] + noise / prior), Math.sqrt(1 / (sum[1] / noise + 1 / prior))
        }));
    }

    /// What it would have been on a worker like any.
    private double own(Run run) {
        double[] effect = effects.get(run.worker());
        return run.logPace() - (effect == null ? 0 : effect[0]);
    }

    private Map<String, Level> narrowest(Map<String, Double> means) {
        Map<String, Level> levels = new HashMap<>();
        means.forEach((cls, mean) -> levels.put(
                cls,
                new Level(
                        mean,
                        Math.hypot(within, amongWorkers)
                                / Math.sqrt(classes.getOrDefault(cls, List.of()).size()))));
        return levels;
    }

    private Map<String, Level> wider(int level, Map<String, Double> means) {
        Map<String, List<Double>> grouped = new HashMap<>();
        classes.forEach(
                (cls, runs) -> grouped.computeIfAbsent(runs.getFirst().levels().get(level), _ -> new ArrayList<>())
                        .add(means.getOrDefault(cls, 0.0)));
        double squares = BELIEF * BETWEEN[level] * BETWEEN[level];
        double free = BELIEF;
        Map<String, Double> middle = new HashMap<>();
        for (var group : grouped.entrySet()) {
            double mean = group.getValue().stream()
                    .mapToDouble(value -> value)
                    .average()
                    .orElse(0);
            middle.put(group.getKey(), mean);
            squares += group.getValue().stream()
                    .mapToDouble(value -> square(value - mean))
                    .sum();
            free += group.getValue().size() - 1;
        }
        double between = Math.sqrt(squares / free);
        Map<String, Level> levels = new HashMap<>();
        middle.forEach((name, mean) -> {
            int count = grouped.getOrDefault(name, List.of()).size();
            levels.put(name, new Level(mean, between * Math.sqrt(1 + 1.0 / count)));
        });
        return levels;
    }

    /// How long a job takes that is claimed on a kind of device, from its claim to its end.
    ///
    /// @param part of its steps that are done already
    Guess of(@Nullable Work work, double part, String kind) {
        Guess steps = steps(work, part, kind);
        if (work == null || work.epochs() == 0) {
            return steps;
        }
        double seconds = Math.exp(steps.logSeconds()) + besides.seconds(levels(work, kind));
        return new Guess(Math.log(seconds), steps.common(), steps.each(), steps.cls());
    }

    /// As [#of], of its steps and tests alone.
    Guess steps(@Nullable Work work, double part, String kind) {
        if (work == null) {
            return new Guess(LOG_SECONDS, 0, ANYTHING, "");
        }
        List<String> levels = levels(work, kind);
        Level level = level(levels);
        if (level == null) {
            return new Guess(LOG_SECONDS + Math.log(Math.max(1 - part, 0.01)), ANYTHING, within, levels.getFirst());
        }
        if (work.epochs() == 0) {
            return new Guess(level.mean(), level.deviation(), within, levels.getFirst());
        }
        Double its = samples.get(work.dataset());
        double logSamples = its == null ? LOG_SAMPLES : Math.log(its);
        return new Guess(
                level.mean() + logSamples + Math.log(work.epochs() * Math.max(1 - part, 1e-3)),
                its == null ? Math.hypot(level.deviation(), ANY_SAMPLES) : level.deviation(),
                within,
                levels.getFirst());
    }

    private @Nullable Level level(List<String> levels) {
        for (int i = 0; i < levels.size(); i++) {
            Level level = known.get(i).get(levels.get(i));
            if (level != null) {
                return level;
            }
        }
        return null;
    }

    /// What a job takes after its last step: to test, to write its last checkpoint.
    double afterSeconds(Work work, String kind) {
        return besides.afterSeconds(levels(work, kind));
    }

    /// Of what a job of this kind takes, the part of a worker, as a logarithm.
    double effect(String worker) {
        double[] effect = effects.get(worker);
        return effect == null ? 0 : effect[0];
    }

    /// How far that may be off: what jobs of a class are apart is in part how their workers are at present.
    double effectDeviation(String worker) {
        double[] effect = effects.get(worker);
        return Math.hypot(effect == null ? amongWorkers : effect[1], LASTING * within);
    }

    /// How far jobs of one class are apart.
    double within() {
        return within;
    }

    private static double square(double value) {
        return value * value;
    }
}
