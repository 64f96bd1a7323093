package io.trainyard.device.onednn.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Two samples of 20 channels, 3 rows and 5 columns.
class ImageLayoutTest {
    private static final long[] SIZES = {2, 20, 3, 5};
    private static final long[] NONE = {};

    @Test
    void rowMajorImagesHaveOneLane() {
        ImageLayout layout = layout(new long[] {300, 15, 5, 1}, NONE, NONE);
        assertThat(layout).isEqualTo(new ImageLayout(2, 20, 3, 5, 1, 300, 15, 5, 1));
        assertThat(layout.blocks()).isEqualTo(20);
        assertThat(layout.index(1, 7, 2, 4)).isEqualTo(300 + 7 * 15 + 2 * 5 + 4);
    }

    @Test
    void theLastBlockOfChannelsMayHavePadding() {
        ImageLayout layout = layout(new long[] {360, 120, 40, 8}, new long[] {8}, new long[] {1});
        assertThat(layout).isEqualTo(new ImageLayout(2, 20, 3, 5, 8, 360, 120, 40, 8));
        assertThat(layout.blocks()).isEqualTo(3);
        assertThat(layout.channelsOf(1)).isEqualTo(8);
        assertThat(layout.channelsOf(2)).isEqualTo(4);
        assertThat(layout.run()).isEqualTo(120);
        assertThat(layout.index(1, 18, 2, 4)).isEqualTo(360 + 2 * 120 + 2 * 40 + 4 * 8 + 2);
    }

    @Test
    void channelsThatAreLastAreOneBlock() {
        ImageLayout layout = layout(new long[] {300, 1, 100, 20}, NONE, NONE);
        assertThat(layout).isEqualTo(new ImageLayout(2, 20, 3, 5, 20, 300, 300, 100, 20));
        assertThat(layout.blocks()).isEqualTo(1);
        assertThat(layout.index(1, 18, 2, 4)).isEqualTo(300 + 2 * 100 + 4 * 20 + 18);
    }

    @Test
    void whatLiesOtherwiseHasNone() {
        assertThat(ImageLayout.of(new long[] {2, 20}, new long[] {20, 1}, NONE, NONE))
                .isEmpty();
        assertThat(ImageLayout.of(SIZES, new long[] {360, 120, 40, 8}, new long[] {8}, new long[] {0}))
                .as("blocks of samples")
                .isEmpty();
        assertThat(ImageLayout.of(SIZES, new long[] {960, 64, 320, 64}, new long[] {4, 16}, new long[] {0, 1}))
                .as("two blocks")
                .isEmpty();
        assertThat(ImageLayout.of(SIZES, new long[] {360, 18, 6, 1}, NONE, NONE))
                .as("rows with a gap")
                .isEmpty();
    }

    private static ImageLayout layout(long[] strides, long[] blocks, long[] blocked) {
        return ImageLayout.of(SIZES, strides, blocks, blocked).orElseThrow();
    }
}
