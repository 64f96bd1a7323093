package io.trainyard.tracking;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Adjacent buckets of a curve, stored in columns. Each bucket has the number of its losses, the number of NaN
/// or infinite losses, the last loss and its time. For the finite losses it has the minimum, the maximum, the
/// mean and the sum of squared differences from the mean. Merging two buckets gives the bucket of all their
/// losses, up to float64 rounding.
///
/// Steps are added in ascending order. Not thread-safe.
public final class Buckets {
    private static final int BYTES = 2 * Integer.BYTES + 3 * Float.BYTES + Long.BYTES + 2 * Double.BYTES;

    private final int[] count;
    private final int[] notFinite;
    private final float[] min;
    private final float[] max;
    private final float[] last;
    private final long[] millis;
    private final double[] mean;
    private final double[] squares;

    Buckets(int size) {
        count = new int[size];
        notFinite = new int[size];
        min = new float[size];
        max = new float[size];
        last = new float[size];
        millis = new long[size];
        mean = new double[size];
        squares = new double[size];
    }

    public int size() {
        return count.length;
    }

    /// Adds a loss.
    ///
    /// @param at the time of its event, Unix time in ms
    void add(int i, float loss, long at) {
        count[i]++;
        last[i] = loss;
        millis[i] = at;
        if (!Float.isFinite(loss)) {
            notFinite[i]++;
            return;
        }
        int finite = finite(i);
        min[i] = finite == 1 ? loss : Math.min(min[i], loss);
        max[i] = finite == 1 ? loss : Math.max(max[i], loss);
        double difference = loss - mean[i];
        mean[i] += difference / finite;
        squares[i] += difference * (loss - mean[i]);
    }

    /// Merges a bucket of another curve section into a bucket.
    void add(int i, Buckets other, int j) {
        if (other.count[j] == 0) {
            return;
        }
        int mine = finite(i);
        int theirs = other.finite(j);
        count[i] += other.count[j];
        notFinite[i] += other.notFinite[j];
        last[i] = other.last[j];
        millis[i] = other.millis[j];
        if (theirs == 0) {
            return;
        }
        min[i] = mine == 0 ? other.min[j] : Math.min(min[i], other.min[j]);
        max[i] = mine == 0 ? other.max[j] : Math.max(max[i], other.max[j]);
        double difference = other.mean[j] - mean[i];
        double both = (double) mine + theirs;
        mean[i] += difference * theirs / both;
        squares[i] += other.squares[j] + difference * difference * mine * theirs / both;
    }

    public int count(int i) {
        return count[i];
    }

    public int notFinite(int i) {
        return notFinite[i];
    }

    private int finite(int i) {
        return count[i] - notFinite[i];
    }

    /// Whether minimum, maximum and mean exist; they are 0 otherwise.
    public boolean hasFinite(int i) {
        return finite(i) > 0;
    }

    public float min(int i) {
        return min[i];
    }

    public float max(int i) {
        return max[i];
    }

    /// The loss of the last step, finite or not.
    public float last(int i) {
        return last[i];
    }

    public long millis(int i) {
        return millis[i];
    }

    public double mean(int i) {
        return mean[i];
    }

    /// The population standard deviation, like numpy's `std`.
    public double deviation(int i) {
        return hasFinite(i) ? Math.sqrt(squares[i] / finite(i)) : 0;
    }

    /// Serializes column by column, little-endian.
    byte[] write() {
        ByteBuffer bytes = ByteBuffer.allocate(size() * BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int[] column : new int[][] {count, notFinite}) {
            bytes.asIntBuffer().put(column);
            skip(bytes, Integer.BYTES);
        }
        for (float[] column : new float[][] {min, max, last}) {
            bytes.asFloatBuffer().put(column);
            skip(bytes, Float.BYTES);
        }
        bytes.asLongBuffer().put(millis);
        skip(bytes, Long.BYTES);
        for (double[] column : new double[][] {mean, squares}) {
            bytes.asDoubleBuffer().put(column);
            skip(bytes, Double.BYTES);
        }
        return bytes.array();
    }

    static Buckets read(byte[] written) {
        Buckets read = new Buckets(written.length / BYTES);
        ByteBuffer bytes = ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN);
        for (int[] column : new int[][] {read.count, read.notFinite}) {
            bytes.asIntBuffer().get(column);
            read.skip(bytes, Integer.BYTES);
        }
        for (float[] column : new float[][] {read.min, read.max, read.last}) {
            bytes.asFloatBuffer().get(column);
            read.skip(bytes, Float.BYTES);
        }
        bytes.asLongBuffer().get(read.millis);
        read.skip(bytes, Long.BYTES);
        for (double[] column : new double[][] {read.mean, read.squares}) {
            bytes.asDoubleBuffer().get(column);
            read.skip(bytes, Double.BYTES);
        }
        return read;
    }

    private void skip(ByteBuffer bytes, int each) {
        bytes.position(bytes.position() + size() * each);
    }
}
