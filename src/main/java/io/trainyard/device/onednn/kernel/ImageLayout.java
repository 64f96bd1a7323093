package io.trainyard.device.onednn.kernel;

import java.util.Optional;

/// How a batch of images (samples, channels, rows, columns) lies in memory. All strides count values.
///
/// Channels lie in blocks of `lanes`, the channels of a block side by side at every pixel: 8 or 16 in oneDNN's
/// blocked layouts, 1 in the row-major one, all of them where channels are last. The pixels of one sample's block
/// are one run of values without gaps. Where the last block has more lanes than channels are left, the others are
/// padding, which oneDNN reads and takes to be 0: whoever writes the images writes zeros there.
///
/// @param lanes channels side by side
/// @param sampleStride from a sample to the next
/// @param blockStride from a block of channels to the next of the same sample
/// @param rowStride from a row to the next
/// @param columnStride from a pixel to the next of its row; `lanes`, because there are no gaps
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
    private static final int CHANNELS = 1; // their place among the dimensions

    /// Of the layout that oneDNN's memory descriptor tells.
    ///
    /// @param sizes logical dimensions, outermost first
    /// @param strides of each dimension, in floats; of a blocked one from block to block
    /// @param blocks sizes of the inner blocks, outermost first; empty without any
    /// @param blocked which dimension each of them is of
    /// @return empty for what is no batch of images, or lies otherwise: in blocks of samples, or with gaps
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
        boolean rowsAsTold = sizes[2] == 1 || strides[2] == layout.rowStride;
        boolean columnsAsTold = sizes[3] == 1 || strides[3] == layout.columnStride;
        return rowsAsTold && columnsAsTold ? Optional.of(layout) : Optional.empty();
    }

    /// Whether vectors of channels can be had from such images.
    public boolean inVectors() {
        return lanes % Lanes.COUNT == 0;
    }

    /// Of vectors, one behind the other: as the pixels of one image whose channels are last.
    ///
    /// @param numbers of a vector
    public static ImageLayout ofRows(int vectors, int numbers) {
        long all = (long) vectors * numbers;
        return new ImageLayout(1, numbers, vectors, 1, numbers, all, all, numbers, numbers);
    }

    /// Of a batch of one sample.
    public ImageLayout ofOne() {
        return new ImageLayout(1, channels, rows, columns, lanes, sampleStride, blockStride, rowStride, columnStride);
    }

    /// Of one block of one sample's channels.
    ImageLayout ofBlock() {
        return new ImageLayout(1, lanes, rows, columns, lanes, run(), run(), rowStride, columnStride);
    }

    public int blocks() {
        return Math.ceilDiv(channels, lanes);
    }

    public int area() {
        return rows * columns;
    }

    /// Floats of one sample's block: its pixels, row by row, with `lanes` channels each.
    public long run() {
        return (long) area() * lanes;
    }

    /// Channels of a block; fewer than `lanes` where the rest is padding.
    public int channelsOf(int block) {
        return Math.min(lanes, channels - block * lanes);
    }

    /// Where a sample's block begins, in floats.
    public long begin(int sample, int block) {
        return sample * sampleStride + block * blockStride;
    }

    /// Where one value is, in floats.
    public long index(int sample, int channel, int row, int column) {
        return begin(sample, channel / lanes) + row * rowStride + column * columnStride + channel % lanes;
    }
}
