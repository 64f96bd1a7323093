package io.trainyard.device.vector;

/// [Values] of several models: (samples, channels, rows, columns, [Lanes#COUNT]).
///
/// @param pitch of the rows of one model by itself, see [Grid]: the order of sums depends on it
/// @param width vectors from one row to the next
/// @param plane vectors from one channel to the next
/// @param gradient empty where nothing needs it
record LaneValues(
        int channels, int rows, int columns, int pitch, int width, int plane, float[] data, float[] gradient) {
    /// Without gaps.
    static LaneValues dense(int channels, int rows, int columns, int pitch, int samples, boolean withGradient) {
        return of(new int[] {channels, rows, columns, pitch, columns, rows * columns}, samples, withGradient);
    }

    /// Rows and channels an odd number of vectors apart. What is an even number apart, not to speak of a power of two,
    /// shares a few sets of the cache, and is soon out of it.
    static LaneValues apart(int channels, int rows, int columns, int samples, boolean withGradient) {
        int width = columns | 1;
        return of(new int[] {channels, rows, columns, columns, width, rows * width | 1}, samples, withGradient);
    }

    private static LaneValues of(int[] form, int samples, boolean withGradient) {
        int values = Math.multiplyExact(Math.multiplyExact(samples, Math.multiplyExact(form[0], form[5])), Lanes.COUNT);
        float[] gradient = new float[withGradient ? values : 0];
        return new LaneValues(form[0], form[1], form[2], form[3], form[4], form[5], new float[values], gradient);
    }

    boolean hasGradient() {
        return gradient.length > 0;
    }

    /// Values of a channel.
    int area() {
        return rows * columns;
    }

    /// Values of a sample.
    int elements() {
        return channels * area();
    }

    /// Of a sample, in the arrays.
    int stride() {
        return channels * plane * Lanes.COUNT;
    }

    /// The same values seen as vectors, if they are without gaps.
    LaneValues flat() {
        return new LaneValues(1, 1, elements(), elements(), elements(), elements(), data, gradient);
    }
}
