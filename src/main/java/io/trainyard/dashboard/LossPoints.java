package io.trainyard.dashboard;

import io.trainyard.dashboard.LossCurve.Bucket;
import java.util.List;

/// A piece of a loss curve, in columns. Point i covers the steps `firstStep[i]` to `lastStep[i]`; a loss that is not
/// a number is the text `"NaN"`, `"Infinity"` or `"-Infinity"`.
public record LossPoints(
        String job, int attempt, long[] firstStep, long[] lastStep, float[] min, float[] mean, float[] max) {

    static LossPoints of(String job, int attempt, List<Bucket> buckets) {
        int n = buckets.size();
        var points = new LossPoints(job, attempt, new long[n], new long[n], new float[n], new float[n], new float[n]);
        for (int i = 0; i < n; i++) {
            Bucket bucket = buckets.get(i);
            points.firstStep[i] = bucket.firstStep();
            points.lastStep[i] = bucket.lastStep();
            points.min[i] = bucket.min();
            points.mean[i] = (float) bucket.mean();
            points.max[i] = bucket.max();
        }
        return points;
    }
}
