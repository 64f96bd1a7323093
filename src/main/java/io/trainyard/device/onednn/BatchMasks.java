package io.trainyard.device.onednn;

import io.trainyard.random.TorchRandom;
import java.util.function.Supplier;

/// Draws the dropout masks of some samples of a batch while their program runs. Every layer draws for the whole
/// batch, which is PyTorch's order of random numbers: what others' samples get is drawn and forgotten.
final class BatchMasks {
    private final Supplier<TorchRandom> random;
    private int before; // samples of the batch that others compute
    private int samples;
    private int behind;

    /// @param random the epoch's generator at the time a mask is drawn
    BatchMasks(Supplier<TorchRandom> random) {
        this.random = random;
    }

    /// @param first of the samples whose masks are drawn from now on
    /// @param batchSize samples of the whole batch
    void begin(int first, int samples, int batchSize) {
        this.before = first;
        this.samples = samples;
        this.behind = batchSize - first - samples;
    }

    /// Fills `mask` for the samples that were begun with.
    void draw(float[] mask, double p) {
        int elements = mask.length / samples;
        skip(before, elements);
        random.get().dropoutMask(mask, p);
        skip(behind, elements);
    }

    /// Forgets the masks of others' samples.
    ///
    /// @param elements of one sample's masks
    void skip(int others, long elements) {
        random.get().skip(others * elements * TorchRandom.WORDS_PER_MASK_ELEMENT);
    }
}
