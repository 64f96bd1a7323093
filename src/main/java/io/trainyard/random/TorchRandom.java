package io.trainyard.random;

/// PyTorch's default generator on the CPU, number for number: MT19937 (Matsumoto and Nishimura 1998,
/// `init_genrand`), with PyTorch's conversions to values. So a job with a seed starts from the same weights, and
/// visits the samples in the same order, as a PyTorch script with that seed.
///
/// Commons Math's MersenneTwister differs in seeding if bit 31 of the seed is set.
public final class TorchRandom {
    /// Words that [#dropoutMask] draws for each element, kept or dropped.
    public static final int WORDS_PER_MASK_ELEMENT = 2;

    private static final int WORDS = 624;
    private static final int SHIFT = 397;
    private static final float TWO_TO_MINUS_24 = 0x1p-24f;

    private final int[] words;
    private int next;

    /// `torch.manual_seed(seed)`; only the low 32 bits are used.
    public TorchRandom(long seed) {
        words = new int[WORDS];
        words[0] = (int) seed;
        for (int i = 1; i < WORDS; i++) {
            words[i] = 1_812_433_253 * (words[i - 1] ^ (words[i - 1] >>> 30)) + i;
        }
        next = WORDS;
    }

    private TorchRandom(int[] words, int next) {
        this.words = words;
        this.next = next;
    }

    /// Restores a generator from its `state`.
    ///
    /// @throws IllegalArgumentException if it is not a generator's state
    public static TorchRandom restore(long[] state) {
        if (state.length != WORDS + 1 || state[WORDS] < 0 || state[WORDS] > WORDS) {
            throw new IllegalArgumentException("a generator's state has %d numbers, the last 0 to %d; these are %d"
                    .formatted(WORDS + 1, WORDS, state.length));
        }
        int[] words = new int[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = (int) state[i];
        }
        return new TorchRandom(words, (int) state[WORDS]);
    }

    /// The complete state: 624 words and the position among them.
    public long[] state() {
        long[] state = new long[WORDS + 1];
        for (int i = 0; i < WORDS; i++) {
            state[i] = Integer.toUnsignedLong(words[i]);
        }
        state[WORDS] = next;
        return state;
    }

    public int next32() {
        if (next == WORDS) {
            twist();
        }
        int y = words[next++];
        y ^= y >>> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        return y ^ (y >>> 18);
    }

    private void twist() {
        for (int i = 0; i < WORDS; i++) {
            int y = (words[i] & 0x8000_0000) | (words[(i + 1) % WORDS] & 0x7fff_ffff);
            words[i] = words[(i + SHIFT) % WORDS] ^ (y >>> 1) ^ ((y & 1) == 0 ? 0 : 0x9908_b0df);
        }
        next = 0;
    }

    /// `torch.empty((), dtype=torch.int64).random_()`: 63 random bits.
    public long nextLong() {
        long high = Integer.toUnsignedLong(next32()) << 32;
        return (high | Integer.toUnsignedLong(next32())) & Long.MAX_VALUE;
    }

    /// One element of a float32 tensor's `uniform_(from, to)`.
    public float uniform(double from, double to) {
        float u = (next32() & 0xff_ffff) * TWO_TO_MINUS_24;
        return Math.fma(u, (float) to - (float) from, (float) from);
    }

    /// Fills a float32 tensor as `normal_(0, deviation)` does, up to rounding: blocks of 16 uniform numbers become
    /// eight pairs by the method of Box and Muller.
    ///
    /// @param values a multiple of 16
    public void normal(float[] values, double deviation) {
        int block = 16;
        int pairs = block / 2;
        if (values.length % block != 0) {
            throw new IllegalArgumentException("%d numbers are not a multiple of %d".formatted(values.length, block));
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = uniform(0, 1);
        }
        for (int i = 0; i < values.length; i += i % block == pairs - 1 ? pairs + 1 : 1) {
            double radius = deviation * Math.sqrt(-2 * StrictMath.log(1 - (double) values[i]));
            double angle = 2 * Math.PI * values[i + pairs];
            values[i] = (float) (radius * StrictMath.cos(angle));
            values[i + pairs] = (float) (radius * StrictMath.sin(angle));
        }
    }

    /// `torch.randint(bound, (1,))`: 0 to `bound - 1`, from one word.
    public int below(int bound) {
        return Integer.remainderUnsigned(next32(), bound);
    }

    /// `torch.randperm(n)` with a new generator of the seed.
    public static int[] permutation(long seed, int n) {
        TorchRandom random = new TorchRandom(seed);
        int[] order = identity(n);
        for (int i = 0; i < n - 1; i++) {
            int other = i + random.below(n - i);
            int kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        return order;
    }

    /// `torch.multinomial(weights, len(weights), replacement=True)` of float64 weights: two words for each draw.
    public int[] multinomial(double[] weights) {
        double[] cumulative = new double[weights.length];
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += weights[i];
            cumulative[i] = sum;
        }
        for (int i = 0; i < weights.length; i++) {
            cumulative[i] = i == weights.length - 1 ? 1 : cumulative[i] / sum;
        }
        int[] drawn = new int[weights.length];
        for (int i = 0; i < drawn.length; i++) {
            double mass = nextDouble();
            int from = 0;
            for (int to = weights.length; from < to; ) {
                int middle = (from + to) >>> 1;
                if (cumulative[middle] < mass) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            drawn[i] = from;
        }
        return drawn;
    }

    /// One element of a float64 tensor's `uniform_(0, 1)`.
    private double nextDouble() {
        long high = Integer.toUnsignedLong(next32()) << 32;
        return ((high | Integer.toUnsignedLong(next32())) & 0x1f_ffff_ffff_ffffL) * 0x1p-53;
    }

    /// Fills `mask` as `F.dropout(p)` does in training: 0 for dropped elements, 1/(1-p) for kept ones; two words
    /// for each element, in the order of a contiguous tensor.
    ///
    /// @param p the probability to drop, above 0 and below 1; for 0 and 1 PyTorch draws nothing
    public void dropoutMask(float[] mask, double p) {
        double keep = 1.0 - p;
        float kept = 1f / (float) keep;
        for (int i = 0; i < mask.length; i++) {
            mask[i] = nextDouble() < keep ? kept : 0;
        }
    }

    public void skip(long words) {
        for (long i = 0; i < words; i++) {
            int _ = next32();
        }
    }

    public static int[] identity(int n) {
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        return order;
    }
}
