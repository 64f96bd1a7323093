package io.trainyard.device.vector;

/// Where the values of samples lie in an array. A channel's rows stand one after another, `pitch` apart: a whole
/// plane is one long row, in which a tap of a convolution is a shift. Columns beyond `columns` and what is left
/// of a plane hold nothing of meaning in activations, and zeros in gradients.
///
/// @param columns of meaning; at most `pitch`
/// @param plane elements from one channel to the next
/// @param origin where the first sample begins
record Grid(int channels, int rows, int columns, int pitch, int plane, int origin) {
    /// Images without gaps, as they come from a data set.
    static Grid dense(int channels, int rows, int columns) {
        return new Grid(channels, rows, columns, columns, rows * columns, 0);
    }

    /// Images whose planes are whole tiles, so that kernels may write whole tiles.
    static Grid tiled(int channels, int rows, int columns) {
        return new Grid(channels, rows, columns, columns, Vectors.roundUp(rows * columns), 0);
    }

    /// Vectors, each padded with zeros to whole tiles.
    static Grid vector(int elements) {
        int padded = Vectors.roundUp(elements);
        return new Grid(1, 1, elements, padded, padded, 0);
    }

    /// An image of one channel and one row is one only where its row is as long as whole tiles.
    boolean isVector() {
        return equals(vector(columns));
    }

    /// Elements from one sample to the next.
    int sample() {
        return channels * plane;
    }

    /// Values of meaning in a sample.
    int elements() {
        return channels * rows * columns;
    }

    /// Where a sample's row begins.
    int at(int sample, int channel, int row) {
        return origin + sample * sample() + channel * plane + row * pitch;
    }
}
