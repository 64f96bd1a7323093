package io.trainyard.dashboard.rest;

import io.trainyard.tracking.Buckets;
import io.trainyard.tracking.Curve;
import java.util.stream.IntStream;

/// A section of a loss curve, in columns. Point i covers the steps `firstStep[i]` to `lastStep[i]` and at least
/// one loss: minimum, mean, maximum and standard deviation of the finite losses (`"NaN"` if there are none),
/// and the last loss.
///
/// @param millis time of the last loss, since 1970
/// @param count number of losses
/// @param notFinite number of NaN or infinite losses
record LossPoints(
        long[] firstStep,
        long[] lastStep,
        float[] min,
        double[] mean,
        float[] max,
        double[] deviation,
        float[] last,
        long[] millis,
        int[] count,
        int[] notFinite) {

    static LossPoints of(Curve curve) {
        Buckets buckets = curve.buckets();
        int[] full = IntStream.range(0, buckets.size())
                .filter(i -> buckets.count(i) > 0)
                .toArray();
        int n = full.length;
        LossPoints points = new LossPoints(
                new long[n],
                new long[n],
                new float[n],
                new double[n],
                new float[n],
                new double[n],
                new float[n],
                new long[n],
                new int[n],
                new int[n]);
        for (int i = 0; i < n; i++) {
            int bucket = full[i];
            boolean finite = buckets.hasFinite(bucket);
            points.firstStep[i] = curve.firstStep(bucket);
            points.lastStep[i] = curve.lastStep(bucket);
            points.min[i] = finite ? buckets.min(bucket) : Float.NaN;
            points.mean[i] = finite ? buckets.mean(bucket) : Double.NaN;
            points.max[i] = finite ? buckets.max(bucket) : Float.NaN;
            points.deviation[i] = finite ? buckets.deviation(bucket) : Double.NaN;
            points.last[i] = buckets.last(bucket);
            points.millis[i] = buckets.millis(bucket);
            points.count[i] = buckets.count(bucket);
            points.notFinite[i] = buckets.notFinite(bucket);
        }
        return points;
    }
}
