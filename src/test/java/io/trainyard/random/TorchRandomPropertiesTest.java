package io.trainyard.random;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.constraints.IntRange;

class TorchRandomPropertiesTest {
    @SeededProperty
    void continuesFromAnyState(@ForAll long seed, @ForAll @IntRange(max = 2000) int drawn) {
        TorchRandom random = new TorchRandom(seed);
        for (int i = 0; i < drawn; i++) {
            int _ = random.next32();
        }
        TorchRandom restored = TorchRandom.restore(random.state());
        TorchRandom skipped = new TorchRandom(seed);
        skipped.skip(drawn);
        for (int i = 0; i < 700; i++) { // into the next block of words
            int next = random.next32();
            assertThat(restored.next32()).isEqualTo(next);
            assertThat(skipped.next32()).isEqualTo(next);
        }
    }

    @SeededProperty
    void aPermutationHasEveryNumberOnce(@ForAll long seed, @ForAll @IntRange(min = 1, max = 3000) int size) {
        int[] order = TorchRandom.permutation(seed, size);
        int[] sorted = order.clone();
        Arrays.sort(sorted);
        assertThat(sorted).isEqualTo(TorchRandom.identity(size));
    }
}
