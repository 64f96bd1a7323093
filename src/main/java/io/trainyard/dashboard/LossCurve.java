package io.trainyard.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/// The losses of a job in bounded space, each attempt's by itself: a step of two attempts counts as the newer
/// one's, whichever was read first. Not thread-safe.
final class LossCurve {
    /// Attempts whose losses are kept. Past that the highest one leaves that is no attempt of the job's, or else
    /// the lowest.
    static final int MAX_ATTEMPTS = 100;

    /// Neighbouring steps.
    ///
    /// @param count how many losses are in it; fewer than `lastStep - firstStep + 1` where the stream had a gap
    record Bucket(long firstStep, long lastStep, long count, float min, double mean, float max) {
        static Bucket of(long step, float loss) {
            return new Bucket(step, step, 1, loss, loss, loss);
        }

        Bucket and(Bucket next) {
            long both = count + next.count;
            return new Bucket(
                    firstStep,
                    next.lastStep,
                    both,
                    Math.min(min, next.min),
                    mean + (next.mean - mean) * next.count / both,
                    Math.max(max, next.max));
        }
    }

    private final int maxBuckets;
    private final NavigableMap<Integer, AttemptCurve> attempts = new TreeMap<>();

    LossCurve(int maxBuckets) {
        if (maxBuckets < 2) {
            throw new IllegalArgumentException(
                    "a loss curve of %d buckets; allowed is 2 or more".formatted(maxBuckets));
        }
        this.maxBuckets = maxBuckets;
    }

    /// Adds an attempt's losses of the steps from `firstStep` on; those known already are skipped.
    ///
    /// @param newest the job's newest attempt
    void add(int attempt, int newest, long firstStep, float[] losses) {
        attempts.computeIfAbsent(attempt, _ -> new AttemptCurve(maxBuckets)).add(firstStep, losses);
        if (attempts.size() > MAX_ATTEMPTS) {
            attempts.remove(attempts.lastKey() > newest ? attempts.lastKey() : attempts.firstKey());
        }
    }

    /// The curve between two steps, both inclusive, in at most `maxPoints` buckets. Resampled inside the range: a
    /// short range shows the finest detail there is.
    ///
    /// @param ends the attempts that count, each with the step from which on it does not. Of a bucket with such a
    ///     step in it, what came before is not known any more: it is left out
    List<Bucket> between(long fromStep, long toStep, int maxPoints, SortedMap<Integer, Long> ends) {
        List<Bucket> inside = new ArrayList<>();
        ends.forEach((attempt, end) -> {
            AttemptCurve curve = attempts.get(attempt);
            if (curve != null) {
                curve.buckets().stream()
                        .filter(bucket -> bucket.lastStep() < end)
                        .filter(bucket -> bucket.lastStep() >= fromStep && bucket.firstStep() <= toStep)
                        .forEach(inside::add);
            }
        });
        return merged(inside, Math.ceilDiv(Math.max(1, inside.size()), maxPoints));
    }

    private static List<Bucket> merged(List<Bucket> buckets, int together) {
        if (together == 1) {
            return List.copyOf(buckets);
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
