package io.trainyard.device.vector;

/// The layout of samples in an array. A channel's rows follow each other, `pitch` apart, so a whole plane is one
/// long row, in which a tap of a convolution is a shift. Columns beyond `columns` and the end of a plane are
/// undefined in activations, and zeros in gradients.
///
/// @param columns valid columns; at most `pitch`
/// @param plane elements between adjacent channels
/// @param origin index of the first sample
record SampleGrid(int channels, int rows, int columns, int pitch, int plane, int origin) {
    /// Images without gaps, as in a dataset.
    static SampleGrid dense(int channels, int rows, int columns) {
        return new SampleGrid(channels, rows, columns, columns, rows * columns, 0);
    }

    /// Images with planes of whole tiles, so that kernels may write whole tiles.
    static SampleGrid tiled(int channels, int rows, int columns) {
        return new SampleGrid(channels, rows, columns, columns, Vectors.roundUp(rows * columns), 0);
    }

    /// Vectors, each padded with zeros to whole tiles.
    static SampleGrid vector(int elements) {
        int padded = Vectors.roundUp(elements);
        return new SampleGrid(1, 1, elements, padded, padded, 0);
    }

    /// False for an image of one channel and one row, unless its row is a multiple of the tile size.
    boolean isVector() {
        return equals(vector(columns));
    }

    /// Elements between adjacent samples.
    int sample() {
        return channels * plane;
    }

    /// Valid values in a sample.
    int elements() {
        return channels * rows * columns;
    }

    int at(int sample, int channel, int row) {
        return origin + sample * sample() + channel * plane + row * pitch;
    }
}
