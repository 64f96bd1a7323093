package io.trainyard.device.onednn;

import java.util.List;

/// Batch norm statistics of one layer, exchanged by the shards of a session and of other devices. Each shard writes
/// its own row before the barrier and reads all rows after it, always in the same order, so the results do not
/// depend on timing.
///
/// The forward and the backward pass have separate rows: a fast shard may write one while others still read the
/// other. Another barrier lies between two uses of the same rows.
final class BatchNormSums {
    private final long[] counts; // number of values of a channel, by shard
    private final double[][] means; // (shards, channels)
    private final double[][] deviations; // sums of squared differences from the shard's means
    private final double[][] gradients; // sums of the output gradients
    private final double[][] products; // sums of the output gradients times (input - center)

    BatchNormSums(int shards, int channels) {
        counts = new long[shards];
        means = new double[shards][channels];
        deviations = new double[shards][channels];
        gradients = new double[shards][channels];
        products = new double[shards][channels];
    }

    void setCount(int shard, long values) {
        counts[shard] = values;
    }

    double[] means(int shard) {
        return means[shard];
    }

    double[] deviations(int shard) {
        return deviations[shard];
    }

    double[] gradients(int shard) {
        return gradients[shard];
    }

    double[] products(int shard) {
        return products[shard];
    }

    /// The count over all shards.
    ///
    /// @param all sums of all devices, in order; likewise below
    static long count(List<BatchNormSums> all) {
        long count = 0;
        for (BatchNormSums sums : all) {
            for (long of : sums.counts) {
                count += of;
            }
        }
        return count;
    }

    /// Computes mean and biased variance of the whole batch: Chan, Golub and LeVeque, "Updating Formulae and a
    /// Pairwise Algorithm for Computing Sample Variances" (1979).
    static void combine(List<BatchNormSums> all, double[] mean, double[] variance) {
        for (int c = 0; c < mean.length; c++) {
            double count = 0;
            double average = 0;
            double deviation = 0;
            for (BatchNormSums sums : all) {
                for (int shard = 0; shard < sums.counts.length; shard++) {
                    if (sums.counts[shard] > 0) {
                        double more = count + sums.counts[shard];
                        double apart = sums.means[shard][c] - average;
                        average += apart * (sums.counts[shard] / more);
                        deviation += sums.deviations[shard][c] + apart * apart * (count * sums.counts[shard] / more);
                        count = more;
                    }
                }
            }
            mean[c] = average;
            variance[c] = deviation / count;
        }
    }

    /// Sums the rows of gradients and products over all shards; skips shards without samples.
    static void addUp(List<BatchNormSums> all, double[] gradientSums, double[] productSums) {
        for (int c = 0; c < gradientSums.length; c++) {
            gradientSums[c] = 0;
            productSums[c] = 0;
            for (BatchNormSums sums : all) {
                for (int shard = 0; shard < sums.counts.length; shard++) {
                    if (sums.counts[shard] > 0) {
                        gradientSums[c] += sums.gradients[shard][c];
                        productSums[c] += sums.products[shard][c];
                    }
                }
            }
        }
    }
}
