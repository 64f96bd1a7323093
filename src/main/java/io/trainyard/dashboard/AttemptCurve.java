package io.trainyard.dashboard;

import io.trainyard.dashboard.LossCurve.Bucket;
import java.util.ArrayList;
import java.util.List;

/// The losses of one attempt in bounded space: neighbouring steps share a bucket that keeps their least, mean and
/// greatest loss, so a spike of one step survives however long the job. When all buckets are taken, pairs are
/// merged.
///
/// Steps may come again, as from a stream that is read anew, and are never counted twice. Not thread-safe.
final class AttemptCurve {
    private final int maxBuckets;
    private final List<Bucket> buckets = new ArrayList<>();
    private long stepsPerBucket = 1;

    AttemptCurve(int maxBuckets) {
        this.maxBuckets = maxBuckets;
    }

    void add(long firstStep, float[] losses) {
        long lastStep = buckets.isEmpty() ? 0 : buckets.getLast().lastStep();
        for (int i = 0; i < losses.length; i++) {
            if (firstStep + i > lastStep) {
                append(Bucket.of(firstStep + i, losses[i]));
            }
        }
    }

    private void append(Bucket one) {
        if (!buckets.isEmpty() && buckets.getLast().count() < stepsPerBucket) {
            buckets.set(buckets.size() - 1, buckets.getLast().and(one));
            return;
        }
        if (buckets.size() == maxBuckets) {
            stepsPerBucket *= 2;
            for (int pair = 0; pair < maxBuckets / 2; pair++) {
                buckets.set(pair, buckets.get(2 * pair).and(buckets.get(2 * pair + 1)));
            }
            if (maxBuckets % 2 == 1) {
                buckets.set(maxBuckets / 2, buckets.getLast());
            }
            buckets.subList(Math.ceilDiv(maxBuckets, 2), maxBuckets).clear();
            append(one);
            return;
        }
        buckets.add(one);
    }

    /// In order.
    List<Bucket> buckets() {
        return buckets;
    }
}
