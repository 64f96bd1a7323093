package io.trainyard.dashboard;

import java.util.ArrayList;
import java.util.List;

/// The losses of a job in bounded space: neighbouring steps share a bucket that keeps their least, mean and greatest
/// loss, so a spike of one step survives however long the job. When all buckets are taken, pairs are merged.
///
/// Steps may come again (a stream that is read anew, a newer attempt that goes on from a checkpoint) and are never
/// counted twice. Not thread-safe.
final class LossCurve {
    /// Neighbouring steps.
    ///
    /// @param count how many losses are in it; fewer than `lastStep - firstStep + 1` where the stream had a gap
    record Bucket(long firstStep, long lastStep, long count, float min, double mean, float max) {
        private static Bucket of(long step, float loss) {
            return new Bucket(step, step, 1, loss, loss, loss);
        }

        private Bucket and(Bucket next) {
            long both = count + next.count;
            return new Bucket(
                    firstStep,
                    next.lastStep,
                    both,
                    Math.min(min, next.min),
                    mean + (next.mean - mean) * next.count / both,
                    Math.max(max, next.max));
        }

        /// Which of its losses came before `step` is not known any more; it keeps its extremes and its mean.
        private Bucket endingBefore(long step) {
            return new Bucket(firstStep, step - 1, Math.min(count, step - firstStep), min, mean, max);
        }
    }

    private final int maxBuckets;
    private List<Bucket> buckets = new ArrayList<>();
    private long stepsPerBucket = 1;
    private int attempt;
    private int startedAttempt;
    private long startedAtStep = 1;

    LossCurve(int maxBuckets) {
        if (maxBuckets < 2) {
            throw new IllegalArgumentException(
                    "a loss curve of %d buckets; allowed is 2 or more".formatted(maxBuckets));
        }
        this.maxBuckets = maxBuckets;
    }

    /// An attempt has started. What older attempts did from `firstStep` on does not count any more, even if it is
    /// read later.
    void begin(int newAttempt, long firstStep) {
        if (newAttempt > startedAttempt) {
            startedAttempt = newAttempt;
            startedAtStep = firstStep;
        }
        if (newAttempt > attempt) {
            dropFrom(firstStep);
        }
    }

    /// Adds an attempt's losses of the steps from `firstStep` on; those known already are skipped.
    void add(int ofAttempt, long firstStep, float[] losses) {
        if (firstStep < 1 || ofAttempt < attempt) {
            return;
        }
        if (ofAttempt > attempt) {
            attempt = ofAttempt;
            dropFrom(firstStep);
        }
        long end = ofAttempt < startedAttempt
                ? Math.min(startedAtStep, firstStep + losses.length)
                : firstStep + losses.length; // exclusive
        for (long step = Math.max(firstStep, lastStep() + 1); step < end; step++) {
            append(Bucket.of(step, losses[(int) (step - firstStep)]));
        }
    }

    private void append(Bucket one) {
        if (!buckets.isEmpty() && buckets.getLast().count() < stepsPerBucket) {
            buckets.set(buckets.size() - 1, buckets.getLast().and(one));
            return;
        }
        if (buckets.size() == maxBuckets) {
            stepsPerBucket *= 2;
            buckets = merged(buckets, 2);
            append(one);
            return;
        }
        buckets.add(one);
    }

    private void dropFrom(long step) {
        while (!buckets.isEmpty() && buckets.getLast().firstStep() >= step) {
            buckets.removeLast();
        }
        if (lastStep() >= step) {
            buckets.add(buckets.removeLast().endingBefore(step));
        }
    }

    /// 0 while there is none.
    private long lastStep() {
        return buckets.isEmpty() ? 0 : buckets.getLast().lastStep();
    }

    /// The curve between two steps, both inclusive, in at most `maxPoints` buckets. Resampled inside the range: a
    /// short range shows the finest detail there is.
    List<Bucket> between(long fromStep, long toStep, int maxPoints) {
        List<Bucket> inside = buckets.stream()
                .filter(bucket -> bucket.lastStep() >= fromStep && bucket.firstStep() <= toStep)
                .toList();
        return merged(inside, Math.ceilDiv(Math.max(1, inside.size()), maxPoints));
    }

    private static List<Bucket> merged(List<Bucket> buckets, int together) {
        if (together == 1) {
            return buckets;
        }
        List<Bucket> result = new ArrayList<>(buckets.size() / together + 1);
        for (int from = 0; from < buckets.size(); from += together) {
            result.add(buckets.subList(from, Math.min(buckets.size(), from + together)).stream()
                    .reduce(Bucket::and)
                    .orElseThrow());
        }
        return result;
    }
}
