package io.trainyard.forecast;

import io.trainyard.forecast.JobFacts.Work;
import io.trainyard.forecast.PaceModel.Guess;

/// What is left of a job that runs.
///
/// @param logSeconds the logarithm of how long it takes: of what is left when it was heard last, or of all of it
/// @param deviation how far that may be off
/// @param sinceSeconds how long ago that was
/// @param fromClaim whether it is all of it: the job has shown no pace yet
/// @param done the part of the whole job that is done
/// @param seed of the job's luck
record Rest(
        double logSeconds,
        double deviation,
        double sinceSeconds,
        boolean fromClaim,
        double done,
        boolean stopsEarly,
        double afterSeconds,
        long seed) {
    private static final int TRIES = 8;

    /// Before that an attempt's pace is that of its beginning.
    private static final double SETTLING_SECONDS = 0.5;

    /// How far what comes after the last step may be off.
    private static final double AFTER = 0.3;

    /// Of a job of which only the worker's heartbeat is known.
    static Rest unknown(String job, PaceModel pace) {
        Guess guess = pace.of(null, 0, "");
        return new Rest(guess.logSeconds(), guess.each(), 0, true, 0, false, 0, job.hashCode());
    }

    /// @param drift how far the rest of a job is off that is told by its beginning
    static Rest of(JobFacts job, Slot slot, PaceModel pace, double drift, long nowMillis) {
        Work work = job.work();
        String kind = job.ranOn() == null ? slot.kind() : job.ranOn();
        double since = Math.max(0, nowMillis - job.claimMillis()) / 1e3;
        boolean begun = job.stepsOfAttempt() > 0 && job.elapsedMicros() > 0 && job.plannedSteps() > 0;
        Guess guess = begun ? pace.steps(work, job.part(), kind) : pace.of(work, startedPart(job), kind);
        double deviation = Math.hypot(guess.common(), Math.hypot(guess.each(), slot.effectDeviation()));
        boolean stops = work != null && work.stopsEarly();
        if (!begun) {
            return new Rest(
                    guess.logSeconds() + slot.effect(),
                    deviation,
                    since,
                    true,
                    job.part(),
                    stops,
                    0,
                    job.job().hashCode());
        }
        double elapsed = job.elapsedMicros() / 1e6;
        double left = elapsed / job.stepsOfAttempt() * (job.plannedSteps() - job.step());
        double own = Math.hypot(drift, SETTLING_SECONDS / (elapsed + 0.1));
        double weight = deviation * deviation / (deviation * deviation + own * own);
        double prior = guess.logSeconds() + slot.effect();
        double mean = left <= 0 ? Double.NEGATIVE_INFINITY : weight * Math.log(left) + (1 - weight) * prior;
        double after = work == null ? 0 : pace.afterSeconds(work, kind);
        double heard = Math.max(0, nowMillis - job.heardMillis()) / 1e3;
        return new Rest(
                mean,
                own * Math.sqrt(weight),
                heard,
                false,
                job.part(),
                stops,
                after,
                job.job().hashCode());
    }

    private static double startedPart(JobFacts job) {
        return job.plannedSteps() == 0 ? 0 : (double) (job.firstStep() - 1) / job.plannedSteps();
    }

    /// Seconds until it ends, in one draw.
    ///
    double seconds(int draw, EarlyEnds ends) {
        long hash = NormalTable.mix(seed, draw);
        double part = ends.part(stopsEarly, done, NormalTable.mix(hash, 100), draw);
        double share = done < 1 ? (part - done) / (1 - done) : 1;
        if (!fromClaim) {
            double after = afterSeconds * Math.exp(AFTER * NormalTable.normal(NormalTable.mix(hash, 101)));
            double left = share * Math.exp(logSeconds + deviation * NormalTable.normal(hash)) + after;
            return Math.max(left - sinceSeconds, overdue(hash));
        }
        for (int i = 0; i < TRIES; i++) {
            double all = share * Math.exp(logSeconds + deviation * NormalTable.normal(NormalTable.mix(hash, i)));
            if (all > sinceSeconds) {
                return all - sinceSeconds;
            }
        }
        return sinceSeconds * NormalTable.uniform(NormalTable.mix(hash, TRIES)) + overdue(hash);
    }

    /// It should have ended, and has not.
    private double overdue(long hash) {
        return (0.2 + afterSeconds) * NormalTable.uniform(NormalTable.mix(hash, 200));
    }
}
