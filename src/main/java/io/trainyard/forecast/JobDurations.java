package io.trainyard.forecast;

import io.trainyard.forecast.JobFacts.Work;
import io.trainyard.spec.DeviceSpec;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Estimates durations from the seconds per planned sample of earlier jobs. Similar jobs form a class. If no
/// job of a class has run, a wider class is used, with a larger deviation. Deviations are relative to the mean.
final class JobDurations {
    /// Assumed deviation within a class before any of its jobs has run, from the narrowest class to the widest.
    private static final double[] APART = {0.12, 0.3, 0.7, 1.2, 1.8};
    private static final double WORKERS = 0.07; // assumed deviation of a worker's speed
    private static final int MAX_OF_CLASS = 50; // of the newest jobs
    private static final double MIN_SECONDS = 1;
    private static final double UNKNOWN_SAMPLES = 20_000;
    static final Guess UNKNOWN = new Guess(600, 2, 0.12);

    private final Map<String, Mean> rates = new HashMap<>();
    private final Map<String, Double> samples = new HashMap<>(); // per epoch, by dataset
    private final Mean beginning = new Mean(); // seconds from the claim to the first step

    /// @param common the deviation that all jobs of the class share
    /// @param each the independent deviation of each job
    record Guess(double seconds, double common, double each) {}

    private static final class Mean {
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

        /// Counts the prior deviation like one more job.
        double deviation(double before) {
            return Math.sqrt((before * before - count + squares / mean() / mean()) / count);
        }
    }

    JobDurations(List<JobFacts> jobs) {
        beginning.add(2.5);
        jobs.stream()
                .sorted(Comparator.comparingLong(JobFacts::lastRecordMillis)
                        .reversed()
                        .thenComparing(JobFacts::job))
                .forEach(this::learn);
    }

    private void learn(JobFacts job) {
        Work work = job.work();
        String device = job.device();
        if (work == null || device == null || job.startMillis() == 0) {
            return;
        }
        beginning.add((job.startMillis() - job.claimMillis()) / 1e3);
        if (work.epochs() > 0 && job.plannedSteps() > 0) {
            samples.putIfAbsent(work.dataset(), (double) job.plannedSteps() / work.epochs() * work.batchSize());
        }
        boolean ended = job.status().isFinal() && job.endMillis() > job.startMillis();
        long steps = ended ? job.plannedSteps() - job.firstStep() + 1 : job.stepsOfAttempt();
        double seconds = ended ? (job.endMillis() - job.startMillis()) / 1e3 : job.elapsedMicros() / 1e6;
        double all = work.epochs() == 0 ? ended ? 1 : 0 : (double) steps * work.batchSize();
        // A running job may still stop early or fail.
        double perSample = seconds / all * (ended ? 1 : work.stopsEarly() ? 0.75 : 0.97);
        if (all > 0 && (ended || seconds >= MIN_SECONDS)) {
            for (String name : classes(work, DeviceSpec.kindOf(device))) {
                rates.computeIfAbsent(name, _ -> new Mean()).add(perSample);
            }
        }
    }

    /// The classes from the narrowest to the widest.
    private static List<String> classes(Work work, String kind) {
        String doing = work.epochs() == 0 ? "evaluate" : work.stopsEarly() ? "train, and stop early" : "train";
        String on = String.join("|", doing, kind, work.network(), work.dataset());
        return List.of(
                "%s|%d|%s|%d".formatted(on, work.batchSize(), work.precision(), work.devices()),
                on,
                String.join("|", doing, kind, work.network()),
                String.join("|", doing, kind),
                doing);
    }

    /// The duration of a job on a kind of device, from its claim to its end.
    Guess of(@Nullable Work work, double part, String kind) {
        if (work == null) {
            return UNKNOWN;
        }
        List<String> classes = classes(work, kind);
        for (int i = 0; i < APART.length; i++) {
            Mean rate = rates.get(classes.get(i));
            if (rate != null) {
                Double its = samples.get(work.dataset());
                double all = work.epochs() == 0 ? 1 : (its == null ? UNKNOWN_SAMPLES : its) * work.epochs();
                double deviation = rate.deviation(APART[i]);
                double common = Math.hypot(WORKERS, deviation * Math.sqrt((i == 0 ? 0 : 1) + 1.0 / rate.count));
                return new Guess(
                        rate.mean() * all * Math.max(1 - part, 1e-3) + beginning.mean(),
                        its == null && work.epochs() > 0 ? Math.hypot(common, 1.3) : common,
                        Math.hypot(i == 0 ? deviation : APART[0], ends(work)));
            }
        }
        return new Guess(UNKNOWN.seconds() * Math.max(1 - part, 0.01), UNKNOWN.common(), UNKNOWN.each());
    }

    /// The remaining time of a running job, from its own rate if known.
    Guess rest(JobFacts job, String kind, long nowMillis) {
        double since = Math.max(0, nowMillis - job.claimMillis()) / 1e3;
        double elapsed = job.elapsedMicros() / 1e6;
        Guess whole = of(job.work(), job.part(job.firstStep() - 1), kind);
        double seconds = whole.seconds() - since;
        double deviation = Math.hypot(whole.common(), whole.each()) * whole.seconds() / Math.max(seconds, 1);
        if (elapsed >= MIN_SECONDS && job.plannedSteps() > 0) {
            seconds = elapsed / job.stepsOfAttempt() * (job.plannedSteps() - job.step())
                    - (nowMillis - job.lastRecordMillis()) / 1e3;
            deviation = Math.hypot(ends(job.work()), 0.1 + 0.5 / elapsed) + 0.5 / Math.max(seconds, 0.5);
        }
        return seconds > Math.min(0.1 * since, 0.5)
                ? new Guess(seconds, 0, deviation)
                : new Guess(0.3 + 0.1 * since, 0, 1);
    }

    /// The deviation of the part of the planned work that jobs do before they end.
    private static double ends(@Nullable Work work) {
        return work != null && work.stopsEarly() ? 0.4 : 0.1;
    }
}
