package io.trainyard.device.onednn;

import java.util.List;

/// What the shards of a session tell one another, and those of other devices, about one layer's batch norm.
/// Each writes its own row before they meet, and reads all rows after it, always in the same order: the
/// numbers do not depend on who comes first.
///
/// The forward and the backward pass have rows of their own: who is ahead may write the one while others still read
/// the other. Between two uses of the same rows lies another meeting.
final class BatchSums {
    private final long[] counts; // values of a channel, by shard
    private final double[][] means; // (shards, channels)
    private final double[][] deviations; // sums of squared differences to the shard's means
    private final double[][] gradients; // sums of the outputs' gradients
    private final double[][] products; // sums of their products with input - center

    BatchSums(int shards, int channels) {
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

    /// Of all shards.
    ///
    /// @param all the devices' sums, in their order, as below
    static long count(List<BatchSums> all) {
        long count = 0;
        for (BatchSums sums : all) {
            for (long of : sums.counts) {
                count += of;
            }
        }
        return count;
    }

    /// Fills mean and biased variance of the whole batch: Chan, Golub and LeVeque, "Updating Formulae and a Pairwise
    /// Algorithm for Computing Sample Variances" (1979).
    static void combine(List<BatchSums> all, double[] mean, double[] variance) {
        for (int c = 0; c < mean.length; c++) {
            double count = 0;
            double average = 0;
            double deviation = 0;
            for (BatchSums sums : all) {
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

    /// Fills the sums of the shards' rows of gradients and products; shards without samples have none.
    static void addUp(List<BatchSums> all, double[] gradientSums, double[] productSums) {
        for (int c = 0; c < gradientSums.length; c++) {
            gradientSums[c] = 0;
            productSums[c] = 0;
            for (BatchSums sums : all) {
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
