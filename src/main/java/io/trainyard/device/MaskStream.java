package io.trainyard.device;

/// The random numbers of a dropout mask: the multiplicative congruential generator MCG31m1
/// (x' = 1132489760 x mod 2^31-1; L'Ecuyer 1999), which PyTorch's CPU build draws masks from through MKL.
/// One 32-bit seed from the default generator makes one mask, element after element.
public final class MaskStream {
    private static final long MULTIPLIER = 1_132_489_760L;
    private static final long MODULUS = 0x7fff_ffffL;

    private long x;

    public MaskStream(int seed) {
        long reduced = Integer.toUnsignedLong(seed) % MODULUS;
        x = reduced == 0 ? 1 : reduced;
    }

    /// Fills `mask` with 0 for elements to drop (probability `p`) and 1/(1-p) for those to keep.
    public void fill(float[] mask, double p) {
        float kept = 1 / (float) (1 - p);
        for (int i = 0; i < mask.length; i++) {
            mask[i] = x / (double) MODULUS < 1 - p ? kept : 0;
            x = MULTIPLIER * x % MODULUS;
        }
    }
}
