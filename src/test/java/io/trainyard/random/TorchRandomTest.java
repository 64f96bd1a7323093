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
