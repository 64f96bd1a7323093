package io.trainyard.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// Values from PyTorch 2.7 and 2.13, which agree.
class TorchRandomTest {
    @Test
    void drawsPyTorchsUniformNumbers() {
        TorchRandom random = new TorchRandom(0);
        float[] drawn = new float[5];
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = random.uniform(0, 1);
        }
        assertThat(drawn).containsExactly(0.4962566f, 0.7682218f, 0.08847743f, 0.13203049f, 0.30742282f);
    }

    @Test
    void drawsPyTorchsPermutations() {
        assertThat(TorchRandom.permutation(0, 10)).containsExactly(4, 1, 7, 5, 3, 9, 0, 8, 6, 2);
        assertThat(TorchRandom.permutation(42, 10)).containsExactly(2, 6, 1, 8, 4, 5, 0, 9, 3, 7);
    }

    @Test
    void drawsPyTorchsLongNumbers() {
        assertThat(new TorchRandom(0).nextLong()).isEqualTo(900450186894289455L);
    }

    @Test
    void takesSeedsWithBit31Set() {
        assertThat(new TorchRandom(1L << 31).nextLong()).isEqualTo(2803958173589050372L);
    }

    /// Linear(3, 2), then a DataLoader over 10 items with shuffle, batch 4, and no test between the epochs.
    @Test
    void shufflesAsDataLoaderDoes() {
        TorchRandom random = new TorchRandom(0);
        for (int i = 0; i < 3 * 2 + 2; i++) {
            float _ = random.uniform(-1, 1);
        }
        assertThat(nextOrder(random)).containsExactly(7, 4, 5, 1, 9, 3, 8, 2, 0, 6);
        assertThat(nextOrder(random)).containsExactly(1, 6, 0, 4, 2, 9, 3, 5, 8, 7);
    }

    private static int[] nextOrder(TorchRandom random) {
        long _ = random.nextLong();
        return TorchRandom.permutation(random.nextLong(), 10);
    }

    @Test
    void masksAsDropoutDoes() {
        float[] mask = new float[16];
        new TorchRandom(0).dropoutMask(mask, 0.5);
        assertThat(mask).containsExactly(0, 0, 2, 0, 0, 0, 2, 2, 0, 2, 2, 2, 2, 0, 2, 2);
    }

    /// `WeightedRandomSampler(weights, n, replacement=True)` of torch 1.13.1.
    @Test
    void drawsAsWeightedRandomSamplerDoes() {
        double[] weights = {1.0 / 3, 1.0 / 3, 1.0 / 3, 1, 0.5, 0.5};
        TorchRandom random = new TorchRandom(7);
        assertThat(random.multinomial(weights)).containsExactly(2, 2, 5, 3, 5, 5);
        assertThat(random.multinomial(weights)).containsExactly(2, 3, 4, 4, 0, 0);
        assertThat(random.nextLong()).isEqualTo(7027123589561703936L);
        TorchRandom ofOne = new TorchRandom(5);
        assertThat(ofOne.multinomial(new double[] {0.25})).containsExactly(0);
        assertThat(ofOne.multinomial(new double[] {0.25})).containsExactly(0);
        assertThat(ofOne.nextLong()).isEqualTo(3813295331020233846L);
    }

    /// The sum of (index * position) modulo 1,000,003 of 50,000 draws with four classes, one of them with 90 %.
    @Test
    void drawsBalancedClassesOfManySamples() {
        int[] counts = {45_000, 1_667, 1_667, 1_666};
        double[] weights = new double[50_000];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = 1.0 / counts[i % 10 > 0 ? 0 : 1 + i / 10 % 3];
        }
        int[] drawn = new TorchRandom(1L << 31).multinomial(weights);
        long sum = 0;
        for (int i = 0; i < drawn.length; i++) {
            sum += (long) drawn[i] * (i + 1) % 1_000_003;
        }
        assertThat(sum).isEqualTo(24853697228L);
    }

    @Test
    void continuesFromItsState() {
        TorchRandom random = new TorchRandom(7);
        for (int i = 0; i < 1000; i++) {
            int _ = random.next32();
        }
        TorchRandom restored = TorchRandom.restore(random.state());
        for (int i = 0; i < 1000; i++) {
            assertThat(restored.next32()).isEqualTo(random.next32());
        }
    }

    @Test
    void refusesInvalidStates() {
        assertThatThrownBy(() -> TorchRandom.restore(new long[10]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("625");
    }
}
