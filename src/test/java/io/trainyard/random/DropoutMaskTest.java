package io.trainyard.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Values from torch 2.13.0+cpu: `torch.manual_seed(seed); torch.nn.functional.dropout(torch.ones(n), p)`.
class DropoutMaskTest {
    /// Counts the retained elements among the first 100, 5000 and 100000; `next` is the following int64
    /// `random_()`.
    @ParameterizedTest
    @CsvSource({
        "0, 0.1, 01101111111111111111111111111111, 1.1111111640930176, 93, 4469, 89934, 650378295980102479",
        "0, 0.25, 01101011111111111110111111111101, 1.3333333730697632, 80, 3781, 74928, 650378295980102479",
        "0, 0.5, 00100011011110111100101010000100, 2.0, 53, 2497, 49929, 650378295980102479",
        "0, 0.9, 00000000000000000000000000000000, 10.0, 6, 475, 9962, 650378295980102479",
        "1, 0.1, 11111111111111111111001111101111, 1.1111111640930176, 89, 4490, 89905, 5874572599260375889",
        "1, 0.5, 11110110010101110100000001100111, 2.0, 50, 2531, 49930, 5874572599260375889",
        "42, 0.25, 11111100111100111111111111011111, 1.3333333730697632, 83, 3760, 74820, 1490110254530368455",
        "42, 0.9, 11010000100000001000100011000000, 10.0, 18, 473, 10015, 1490110254530368455",
    })
    void drawsPyTorchsMasks(
            long seed, double p, String first, float kept, int keptOf100, int keptOf5000, int keptOf100000, long next) {
        TorchRandom random = new TorchRandom(seed);
        float[] mask = new float[100_000];
        random.dropoutMask(mask, p);

        String bits = bits(mask);
        assertThat(bits).startsWith(first);
        assertThat(ones(bits, 100)).isEqualTo(keptOf100);
        assertThat(ones(bits, 5000)).isEqualTo(keptOf5000);
        assertThat(ones(bits, 100_000)).isEqualTo(keptOf100000);
        assertThat(mask).containsOnly(0, kept);
        assertThat(random.nextLong()).isEqualTo(next);
    }

    @Test
    void oneMaskFollowsAnother() {
        TorchRandom random = new TorchRandom(0);
        float[] mask = new float[16];
        random.dropoutMask(mask, 0.5);
        random.dropoutMask(mask, 0.5);
        assertThat(bits(mask)).isEqualTo("1100101010000100");
    }

    @Test
    void followsTheInitialisationOfALinearLayer() {
        TorchRandom random = new TorchRandom(0);
        random.skip(3 * 2 + 2);
        float[] mask = new float[16];
        random.dropoutMask(mask, 0.5);
        assertThat(bits(mask)).isEqualTo("0011011110111100");
    }

    @Test
    void takesSeedsWithBit31Set() {
        float[] mask = new float[32];
        new TorchRandom(2147483653L).dropoutMask(mask, 0.5);
        assertThat(bits(mask)).isEqualTo("01100001000001101010010101100111");
    }

    private static String bits(float[] mask) {
        StringBuilder bits = new StringBuilder();
        for (float value : mask) {
            bits.append(value == 0 ? '0' : '1');
        }
        return bits.toString();
    }

    private static int ones(String bits, int count) {
        return (int) bits.substring(0, count).chars().filter(bit -> bit == '1').count();
    }
}
