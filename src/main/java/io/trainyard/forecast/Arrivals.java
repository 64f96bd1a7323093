package io.trainyard.forecast;

import io.trainyard.event.Control.Urgency;
import io.trainyard.forecast.PaceModel.Guess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/// Jobs that will come, as those came that are known: what is more urgent overtakes what waits.
///
/// @param bursts how many there were: jobs that are sent together are one
/// @param seconds in which they came
/// @param sizes of the bursts
/// @param jobs how long some of them take
record Arrivals(Which which, int bursts, double seconds, int[] sizes, List<Guess> jobs) {
    /// What comes within so long of one another was sent together.
    private static final long TOGETHER_MILLIS = 2_000;

    /// What is older says nothing of today.
    private static final long WINDOW_MILLIS = 24L * 60 * 60 * 1000;

    /// That none came does not say that none will.
    private static final double UNSEEN = 0.25;

    private static final double MIN_SECONDS = 60;
    private static final int MAX_JOBS = 500;
    private static final int MAX_GUESSES = 50;

    /// @param kind of device on which they mostly run
    record Which(Urgency urgency, Lane lane, int project, String kind) {}

    /// @param jobs all that are known of them
    static Arrivals of(Which which, List<JobFacts> jobs, PaceModel pace, long nowMillis) {
        List<JobFacts> newest = jobs.stream()
                .filter(job -> nowMillis - job.heardFirstMillis() < WINDOW_MILLIS)
                .sorted(Comparator.comparingLong(JobFacts::heardFirstMillis).reversed())
                .limit(MAX_JOBS)
                .toList();
        List<Integer> sizes = new ArrayList<>();
        long before = Long.MAX_VALUE;
        for (JobFacts job : newest) {
            if (before - job.heardFirstMillis() < TOGETHER_MILLIS) {
                sizes.set(sizes.size() - 1, sizes.getLast() + 1);
            } else {
                sizes.add(1);
            }
            before = job.heardFirstMillis();
        }
        int bursts = sizes.size() - 1; // the eldest begins the time that is looked at
        if (sizes.size() > 1) {
            sizes.removeLast();
        }
        double seconds = newest.isEmpty() ? MIN_SECONDS : (nowMillis - before) / 1e3;
        return new Arrivals(
                which,
                bursts,
                Math.max(seconds, MIN_SECONDS),
                bursts > 0 ? sizes.stream().mapToInt(size -> size).toArray() : new int[] {1},
                newest.stream()
                        .limit(MAX_GUESSES)
                        .map(job -> pace.of(job.work(), 0, which.kind()))
                        .toList());
    }

    /// Bursts a second in one draw: how sure the rate is depends on how many were seen.
    double rate(SplittableRandom chance) {
        double shape = bursts + UNSEEN;
        double root = 1 - 1 / (9 * shape) + chance.nextGaussian() / (3 * Math.sqrt(shape));
        return shape * Math.pow(Math.max(root, 0.01), 3) / seconds;
    }

    int size(SplittableRandom chance) {
        return sizes[chance.nextInt(sizes.length)];
    }

    Guess job(SplittableRandom chance) {
        return jobs.get(chance.nextInt(jobs.size()));
    }
}
