package io.trainyard.dashboard;

import io.trainyard.tracking.Buckets;
import io.trainyard.tracking.Curve;
import java.util.stream.IntStream;

/// A piece of a loss curve, in columns. Point i covers the steps `firstStep[i]` to `lastStep[i]`, and has at least one
/// loss: the least, the mean and the greatest of those that are numbers, the text `"NaN"` where none is.
///
/// @param notFinite of each point, how many losses are NaN or infinite
public record LossPoints(
        String job, long[] firstStep, long[] lastStep, float[] min, float[] mean, float[] max, int[] notFinite) {

    static LossPoints of(String job, Curve curve) {
        Buckets buckets = curve.buckets();
        int[] full = IntStream.range(0, buckets.size())
                .filter(i -> buckets.count(i) > 0)
                .toArray();
        int n = full.length;
        var points =
                new LossPoints(job, new long[n], new long[n], new float[n], new float[n], new float[n], new int[n]);
        for (int i = 0; i < n; i++) {
            int bucket = full[i];
            boolean finite = buckets.hasFinite(bucket);
            points.firstStep[i] = curve.firstStep(bucket);
            points.lastStep[i] = curve.lastStep(bucket);
            points.min[i] = finite ? buckets.min(bucket) : Float.NaN;
            points.mean[i] = finite ? (float) buckets.mean(bucket) : Float.NaN;
            points.max[i] = finite ? buckets.max(bucket) : Float.NaN;
            points.notFinite[i] = buckets.notFinite(bucket);
        }
        return points;
    }
}
