package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.JobFacts.Work;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How long jobs take, from the rates that were measured: seconds for each sample, and what a job takes apart from its
/// steps. Jobs alike are a class. If none of a class has run, wider classes tell, and how far their jobs are apart.
/// Deviations are of logarithms: an estimate is wrong by a factor, for jobs of seconds and of days.
final class JobDurations {
    /// How far jobs of a class are thought to be apart before any has run, from the narrowest class on.
    private static final double[] APART = {0.12, 0.3, 0.7, 1.2, 1.8};

    /// How far a worker is thought to be off for a while.
    private static final double WORKERS = 0.07;

    /// Only the newest of a class count, and only runs that are long enough to have a rate.
    private static final int MAX_OF_CLASS = 50;

    private static final double MIN_SECONDS = 1;
    private static final Guess UNKNOWN = new Guess(600, 2, 0.12);
    private static final double UNKNOWN_SAMPLES = 20_000;
    private static final double UNKNOWN_OVERHEAD = 2.5;

    private final Map<String, Sum> rates = new HashMap<>();
    private final Map<String, Sum> overheads = new HashMap<>();
    private final Map<String, Double> samples = new HashMap<>(); // of an epoch, by dataset
    private final Sum early = new Sum(); // parts of jobs that may stop early
    private final Sum others = new Sum();

    /// @param common how far all jobs of the class may be off together
    /// @param each how far each may be off
    record Guess(double seconds, double common, double each) {
        double deviation() {
            return Math.hypot(common, each);
        }
    }

    private static final class Sum {
        int count;
        double sum;
        double squares;

        void add(double value) {
            if (count < MAX_OF_CLASS) {
                count++;
                sum += value;
                squares += value * value;
            }
        }

        double mean() {
            return sum / count;
        }

        /// As if one job more had been as far off as was thought before.
        double deviation(double before) {
            return Math.sqrt((before * before + Math.max(0, squares - count * mean() * mean())) / count);
        }
    }

    JobDurations(List<JobFacts> jobs) {
        jobs.stream()
                .sorted(Comparator.comparingLong(JobFacts::heardMillis)
                        .reversed()
                        .thenComparing(JobFacts::job))
                .filter(job -> job.work() != null)
                .forEach(job -> learn(job, job.work()));
    }

    private void learn(JobFacts job, Work work) {
        if (work.epochs() > 0 && job.plannedSteps() > 0) {
            samples.putIfAbsent(work.dataset(), (double) job.plannedSteps() / work.epochs() * work.batchSize());
        }
        if (job.status().isFinal() && job.status() != Status.REJECTED && work.epochs() > 0) {
            (work.stopsEarly() ? early : others)
                    .add(job.status() == Status.FINISHED && !work.stopsEarly() ? 1 : job.part());
        }
        String kind = job.ranOn();
        if (kind == null) {
            return;
        }
        double all = (job.endMillis() - job.claimMillis()) / 1e3;
        boolean ended = job.endMillis() > 0 && job.claimMillis() > 0 && all > 0;
        double training = job.elapsedMicros() / 1e6;
        if (work.epochs() == 0 && ended && job.status() == Status.FINISHED) {
            add(rates, classes(work, kind), Math.log(all));
        } else if (work.epochs() > 0 && job.stepsOfAttempt() > 0 && training >= MIN_SECONDS) {
            add(rates, classes(work, kind), Math.log(training / (job.stepsOfAttempt() * (double) work.batchSize())));
            if (ended && job.part() >= 1 && all > training) {
                add(overheads, classes(work, kind), Math.log(all - training));
            }
        }
    }

    private static void add(Map<String, Sum> sums, List<String> classes, double value) {
        classes.forEach(name -> sums.computeIfAbsent(name, _ -> new Sum()).add(value));
    }

    /// From the narrowest on.
    private static List<String> classes(Work work, String kind) {
        String doing = work.epochs() == 0 ? "evaluate" : "train";
        String on = String.join("|", doing, kind, work.network(), work.dataset());
        return List.of(
                "%s|%d|%s|%d".formatted(on, work.batchSize(), work.precision(), work.devices()),
                on,
                String.join("|", doing, kind, work.network()),
                String.join("|", doing, kind),
                doing);
    }

    /// How long a job takes that is claimed on a kind of device, from its claim to its end.
    Guess of(@Nullable Work work, double part, String kind) {
        if (work == null) {
            return UNKNOWN;
        }
        List<String> classes = classes(work, kind);
        double overhead = classes.stream()
                .map(overheads::get)
                .filter(Objects::nonNull)
                .findFirst()
                .map(known -> Math.exp(known.mean()))
                .orElse(UNKNOWN_OVERHEAD);
        for (int i = 0; i < APART.length; i++) {
            Sum known = rates.get(classes.get(i));
            if (known != null) {
                double deviation = known.deviation(APART[i]);
                double common = Math.hypot(WORKERS, deviation * Math.sqrt((i == 0 ? 0 : 1) + 1.0 / known.count));
                Guess rate = new Guess(Math.exp(known.mean()), common, i == 0 ? deviation : APART[0]);
                return work.epochs() == 0 ? rate : steps(rate, work, part, overhead);
            }
        }
        return new Guess(UNKNOWN.seconds() * Math.max(1 - part, 0.01), UNKNOWN.common(), UNKNOWN.each());
    }

    private Guess steps(Guess rate, Work work, double part, double overhead) {
        Double its = samples.get(work.dataset());
        double all = (its == null ? UNKNOWN_SAMPLES : its) * work.epochs() * Math.max(1 - part, 1e-3);
        double[] ends = ends(work);
        return new Guess(
                rate.seconds() * all * ends[0] + overhead,
                its == null ? Math.hypot(rate.common(), 1.3) : rate.common(),
                Math.hypot(rate.each(), ends[1]));
    }

    /// The part of its work that a job does before it ends, and how far jobs are apart in that: they fail, are
    /// cancelled,
    /// or stop early. As if two had ended before any has.
    private double[] ends(Work work) {
        Sum parts = work.stopsEarly() ? early : others;
        double usual = work.stopsEarly() ? 0.75 : 0.97;
        double apart = work.stopsEarly() ? 0.1 : 0.01;
        double count = parts.count + 2;
        double mean = (parts.sum + 2 * usual) / count;
        return new double[] {mean, Math.sqrt((parts.squares + 2 * (usual * usual + apart)) / count - mean * mean) / mean
        };
    }

    /// What is left of a job that runs: by its own rate, the less its class has to say the longer it has run.
    Guess rest(JobFacts job, String kind, long nowMillis) {
        double since = Math.max(0, nowMillis - job.claimMillis()) / 1e3;
        Guess whole = of(job.work(), job.plannedSteps() == 0 ? 0 : (job.firstStep() - 1.0) / job.plannedSteps(), kind);
        double seconds = whole.seconds() - since;
        double deviation = whole.deviation() * whole.seconds() / Math.max(seconds, 1);
        if (job.stepsOfAttempt() > 0 && job.elapsedMicros() > 0 && job.plannedSteps() > 0 && job.work() != null) {
            double elapsed = job.elapsedMicros() / 1e6;
            double left = elapsed / job.stepsOfAttempt() * (job.plannedSteps() - job.step());
            double own = Math.hypot(0.1, 0.5 / (elapsed + 0.1));
            Guess prior = of(job.work(), job.part(), kind);
            double weight = square(prior.deviation()) / (square(prior.deviation()) + own * own);
            double[] ends = ends(Objects.requireNonNull(job.work()));
            seconds = (weight * left + (1 - weight) * prior.seconds()) * Math.sqrt(ends[0])
                    - Math.max(0, nowMillis - job.heardMillis()) / 1e3;
            deviation = Math.hypot(ends[1], own * Math.sqrt(weight)) + 0.5 / Math.max(seconds, 0.5);
        }
        return seconds > 0.1 * since || seconds > 0.5
                ? new Guess(seconds, 0, deviation)
                : new Guess(0.3 + 0.1 * since, 0, 1);
    }

    private static double square(double value) {
        return value * value;
    }
}
