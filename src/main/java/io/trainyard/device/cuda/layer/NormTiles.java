package io.trainyard.device.cuda.layer;

import java.util.List;

/// Divides a tensor (outer, channels, inner) among the thread blocks of batch norm kernels. The rule depends only
/// on shapes, because it affects the last bits of sums.
///
/// @param inner contiguous values of a channel; 1 for channels-last
/// @param wide whether threads load 16 bytes at a time
/// @param abreast threads of a block with different channels; a power of two
/// @param splits blocks that share the values of the same channels
record NormTiles(int outer, int channels, int inner, boolean wide, int abreast, int splits) {
    private static final int BLOCK = 256;
    private static final int LOAD_BYTES = 16;

    /// Bytes of adjacent channels in a block: two memory sectors of a GPU, so all fetched data is used.
    private static final int ABREAST_BYTES = 64;

    /// Two blocks for each multiprocessor of an H100, as many as run at a time: on it, 512 take up to 15 % longer.
    private static final int MOST_BLOCKS = 264;

    /// With fewer positions, adding partial sums takes longer than another block saves.
    private static final int LEAST_POSITIONS_PER_THREAD = 4;

    static NormTiles of(BatchTensor tensor, Numbers numbers) {
        int inner = numbers.channelsLast() ? 1 : tensor.area();
        int channels = tensor.channels();
        int outer = Math.toIntExact(tensor.elements() / channels / inner);
        int lanes = LOAD_BYTES / numbers.valueBytes();
        boolean wide = (inner == 1 ? channels : inner) % lanes == 0;
        int width = wide ? lanes : 1;
        int abreast = inner == 1 ? ABREAST_BYTES / numbers.valueBytes() / width : 1;
        int tiles = inner == 1 ? Math.ceilDiv(channels, abreast * width) : channels;
        long positions = (long) outer * inner / (inner == 1 ? 1 : width);
        long worth = positions * abreast / BLOCK / LEAST_POSITIONS_PER_THREAD;
        int splits = (int) Math.clamp(worth, 1, Math.max(1, MOST_BLOCKS / tiles));
        return new NormTiles(outer, channels, inner, wide, abreast, splits);
    }

    List<Object> arguments() {
        return List.of(outer, channels, inner, wide ? 1 : 0, abreast, splits);
    }

    int blocks(Numbers numbers) {
        int width = wide ? LOAD_BYTES / numbers.valueBytes() : 1;
        return splits * (inner == 1 ? Math.ceilDiv(channels, abreast * width) : channels);
    }
}
