package io.trainyard.data;

import io.trainyard.data.image.DecodedImage;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.function.LongConsumer;

/// Mean, standard deviation and range of each channel, updated sample by sample. In tabular samples each column
/// is a channel. Thread-safe.
final class ChannelStatistics {
    /// Limits the memory; more channels are not reported.
    static final int MOST_CHANNELS = 10_000;

    private static final int BYTE_VALUES = 256;

    private final int channels;
    private final long[] bytes; // (channels, 256): count of each value; empty for floats
    private final double[] first; // of each channel: subtracted from each value so that the sums stay exact
    private final double[] sums;
    private final double[] squares;
    private final double[] least;
    private final double[] most;
    private long values; // of each channel

    private ChannelStatistics(int channels, boolean ofBytes) {
        this.channels = channels;
        this.bytes = new long[ofBytes ? channels * BYTE_VALUES : 0];
        this.first = new double[channels];
        this.sums = new double[channels];
        this.squares = new double[channels];
        this.least = new double[channels];
        this.most = new double[channels];
        Arrays.fill(least, Double.POSITIVE_INFINITY);
        Arrays.fill(most, Double.NEGATIVE_INFINITY);
    }

    static boolean supports(Shape sample) {
        return sample.size(0) <= MOST_CHANNELS;
    }

    static ChannelStatistics ofBytes(int channels) {
        return new ChannelStatistics(channels, true);
    }

    static ChannelStatistics ofFloats(int channels) {
        return new ChannelStatistics(channels, false);
    }

    /// Statistics of all samples.
    ///
    /// @param sample shape of one sample, for which [#supports] is true
    /// @param seen receives the index of each sample that has been added
    static ChannelStatistics of(Samples samples, Shape sample, LongConsumer seen) {
        int elements = sample.elements();
        long count = samples.values() / elements;
        switch (samples) {
            case Samples.Pixels pixels -> {
                ChannelStatistics all = ofBytes(sample.size(0));
                byte[] one = new byte[elements];
                for (long n = 0; n < count; n++) {
                    pixels.read(n * elements, one);
                    all.add(one);
                    seen.accept(n);
                }
                return all;
            }
            case Samples.Values floats -> {
                ChannelStatistics all = ofFloats(sample.size(0));
                float[] one = new float[elements];
                for (long n = 0; n < count; n++) {
                    floats.read(n * elements, one);
                    all.add(one);
                    seen.accept(n);
                }
                return all;
            }
        }
    }

    /// @param sample (channels, area), unsigned bytes
    synchronized void add(byte[] sample) {
        int area = sample.length / channels;
        for (int i = 0; i < sample.length; i++) {
            bytes[i / area * BYTE_VALUES + (sample[i] & 0xff)]++;
        }
        values += area;
    }

    void add(DecodedImage picture) {
        int[] counts = new int[channels * BYTE_VALUES];
        byte[] pixels = picture.pixels();
        for (int i = 0; i < pixels.length; i++) {
            counts[i % picture.channels() * BYTE_VALUES + (pixels[i] & 0xff)]++;
        }
        synchronized (this) {
            for (int i = 0; i < counts.length; i++) {
                bytes[i] += counts[i];
            }
            values += picture.size().pixels();
        }
    }

    /// @param sample (channels, area)
    synchronized void add(float[] sample) {
        int area = sample.length / channels;
        for (int i = 0; i < sample.length; i++) {
            int channel = i / area;
            double value = sample[i];
            if (values == 0 && i % area == 0) {
                first[channel] = value;
            }
            double difference = value - first[channel];
            sums[channel] += difference;
            squares[channel] += difference * difference;
            least[channel] = Math.min(least[channel], value);
            most[channel] = Math.max(most[channel], value);
        }
        values += area;
    }

    int channels() {
        return channels;
    }

    /// In network units: bytes are scaled to 0 to 1.
    synchronized double mean(int channel) {
        if (bytes.length == 0) {
            return first[channel] + sums[channel] / values;
        }
        double sum = 0;
        for (int value = 0; value < BYTE_VALUES; value++) {
            sum += (double) value * count(channel, value);
        }
        return sum / values / 255;
    }

    /// The population standard deviation, as numpy's `std()`.
    synchronized double std(int channel) {
        if (bytes.length == 0) {
            double mean = sums[channel] / values;
            return Math.sqrt(Math.max(0, squares[channel] / values - mean * mean));
        }
        double mean = mean(channel) * 255;
        double sum = 0;
        for (int value = 0; value < BYTE_VALUES; value++) {
            sum += (value - mean) * (value - mean) * count(channel, value);
        }
        return Math.sqrt(sum / values) / 255;
    }

    synchronized double least(int channel) {
        if (bytes.length == 0) {
            return least[channel];
        }
        int value = 0;
        while (value < BYTE_VALUES - 1 && count(channel, value) == 0) {
            value++;
        }
        return value / 255.0;
    }

    synchronized double most(int channel) {
        if (bytes.length == 0) {
            return most[channel];
        }
        int value = BYTE_VALUES - 1;
        while (value > 0 && count(channel, value) == 0) {
            value--;
        }
        return value / 255.0;
    }

    private long count(int channel, int value) {
        return bytes[channel * BYTE_VALUES + value];
    }
}
