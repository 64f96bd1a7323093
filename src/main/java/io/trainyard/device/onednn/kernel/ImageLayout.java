package io.trainyard.device.onednn.kernel;

import java.util.Optional;

/// The memory layout of a batch of images (samples, channels, rows, columns). All strides count values.
///
/// Channels are in blocks of `lanes`, and the channels of a block are contiguous at every pixel: 8 or 16 in
/// oneDNN's blocked layouts, 1 in the row-major layout, all channels in channels-last. The pixels of one sample's
/// block are a run of values without gaps. If the last block has more lanes than channels, the others are padding,
/// which oneDNN reads and assumes to be 0, so it must be written as zeros.
///
/// @param lanes contiguous channels
/// @param sampleStride between adjacent samples
/// @param blockStride between adjacent blocks of channels in a sample
/// @param rowStride between adjacent rows
/// @param columnStride between adjacent pixels in a row; `lanes`, because there are no gaps
public record ImageLayout(
        int samples,
        int channels,
        int rows,
        int columns,
        int lanes,
        long sampleStride,
        long blockStride,
        long rowStride,
        long columnStride) {
    private static final int CHANNELS = 1; // index of the dimension

    /// Converts the layout of oneDNN's memory descriptor.
    ///
    /// @param sizes logical dimensions, outermost first
    /// @param strides of each dimension, in values; of a blocked one from block to block
    /// @param blocks sizes of the inner blocks, outermost first; empty without any
    /// @param blocked the dimension of each inner block
    /// @return empty if it is not a batch of images, has blocks of samples, or has gaps
    public static Optional<ImageLayout> of(long[] sizes, long[] strides, long[] blocks, long[] blocked) {
        if (sizes.length != 4 || blocks.length > 1 || blocks.length == 1 && blocked[0] != CHANNELS) {
            return Optional.empty();
        }
        boolean channelsLast = blocks.length == 0 && sizes[1] > 1 && strides[1] == 1;
        long lanes = blocks.length == 1 ? blocks[0] : channelsLast ? sizes[1] : 1;
        ImageLayout layout = new ImageLayout(
                Math.toIntExact(sizes[0]),
                Math.toIntExact(sizes[1]),
                Math.toIntExact(sizes[2]),
                Math.toIntExact(sizes[3]),
                Math.toIntExact(lanes),
                strides[0],
                channelsLast ? sizes[1] * sizes[2] * sizes[3] : strides[1],
                sizes[3] * lanes,
                lanes);
        boolean storedRows = sizes[2] == 1 || strides[2] == layout.rowStride;
        boolean storedColumns = sizes[3] == 1 || strides[3] == layout.columnStride;
        return storedRows && storedColumns ? Optional.of(layout) : Optional.empty();
    }

    /// Whether the layout allows vectors of channels.
    public boolean inVectors() {
        return lanes % Lanes.COUNT == 0;
    }

    /// Contiguous vectors, as the pixels of one channels-last image.
    ///
    /// @param numbers of a vector
    public static ImageLayout ofRows(int vectors, int numbers) {
        long all = (long) vectors * numbers;
        return new ImageLayout(1, numbers, vectors, 1, numbers, all, all, numbers, numbers);
    }

    public ImageLayout ofOne() {
        return new ImageLayout(1, channels, rows, columns, lanes, sampleStride, blockStride, rowStride, columnStride);
    }

    ImageLayout ofBlock() {
        return new ImageLayout(1, lanes, rows, columns, lanes, run(), run(), rowStride, columnStride);
    }

    public int blocks() {
        return Math.ceilDiv(channels, lanes);
    }

    public int area() {
        return rows * columns;
    }

    /// Values of one sample's block: its pixels, row by row, with `lanes` channels each.
    public long run() {
        return (long) area() * lanes;
    }

    /// Channels of a block; fewer than `lanes` if it has padding.
    public int channelsOf(int block) {
        return Math.min(lanes, channels - block * lanes);
    }

    public long begin(int sample, int block) {
        return sample * sampleStride + block * blockStride;
    }

    public long index(int sample, int channel, int row, int column) {
        return begin(sample, channel / lanes) + row * rowStride + column * columnStride + channel % lanes;
    }
}
