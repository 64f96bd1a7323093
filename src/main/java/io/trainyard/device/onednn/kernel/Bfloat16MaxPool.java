package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Windows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// [MaxPool] of bfloat16: each sample's block of channels is widened, pooled and rounded, in memory that fits into
/// a core's cache.
final class Bfloat16MaxPool implements WindowMaximum {
    private static final long ALIGNMENT_BYTES = 64;

    private final ImageLayout in;
    private final ImageLayout out;
    private final MaxPool ofBlock;
    private final MemorySegment inFloats;
    private final MemorySegment outFloats;

    /// @throws IllegalArgumentException unless both have blocked channels of the same size
    Bfloat16MaxPool(ImageLayout in, ImageLayout out, Windows windows) {
        this.in = in;
        this.out = out;
        ofBlock = new MaxPool(in.ofBlock(), out.ofBlock(), windows);
        inFloats = Arena.ofAuto().allocate(in.run() * Float.BYTES, ALIGNMENT_BYTES);
        outFloats = Arena.ofAuto().allocate(out.run() * Float.BYTES, ALIGNMENT_BYTES);
    }

    @Override
    public void forward(MemorySegment values, MemorySegment largest, MemorySegment winners) {
        for (int n = 0; n < in.samples(); n++) {
            for (int b = 0; b < in.blocks(); b++) {
                Bfloat16.widen(values, in.begin(n, b), inFloats, in.run());
                ofBlock.forward(inFloats, outFloats, ofBlock(winners, n, b));
                Bfloat16.narrow(outFloats, largest, out.begin(n, b), out.run());
            }
        }
    }

    @Override
    public void backward(MemorySegment gradient, MemorySegment winners, MemorySegment to) {
        for (int n = 0; n < in.samples(); n++) {
            for (int b = 0; b < in.blocks(); b++) {
                Bfloat16.widen(gradient, out.begin(n, b), outFloats, out.run());
                ofBlock.backward(outFloats, ofBlock(winners, n, b), inFloats);
                Bfloat16.narrow(inFloats, to, in.begin(n, b), in.run());
            }
        }
    }

    private MemorySegment ofBlock(MemorySegment winners, int sample, int block) {
        return winners.asSlice(out.begin(sample, block) * Float.BYTES, out.run() * Float.BYTES);
    }
}
