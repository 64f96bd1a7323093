package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PixelScaleTest {
    @Test
    void scalesBytesToZeroToOne() {
        float[] table = PixelScale.of(1, null).channel(0);
        assertThat(table).hasSize(256).startsWith(0f, 1 / 255f).endsWith(1f);
        assertThat(table[200]).isEqualTo(200 / 255f);
    }

    /// ((torch.arange(256).float().div(255) - mean) / std), as float32.
    @Test
    void normalisesEachChannelAsPyTorchDoes() {
        PixelScale scale = PixelScale.of(2, new Normalize(List.of(0.5, 0.4914), List.of(0.5, 0.2470)));
        assertThat(scale.channel(0)[0]).isEqualTo(-1f);
        assertThat(scale.channel(0)[255]).isEqualTo(1f);
        assertThat(scale.channel(0)[100]).isEqualTo(-0.21568626f);
        assertThat(scale.channel(1)[100]).isEqualTo(-0.40179408f);
        assertThat(scale.channel(1)[255]).isEqualTo(2.0591094f);
    }

    @Test
    void refusesMeansThatAreNotOneAChannel() {
        assertThatThrownBy(() -> PixelScale.of(1, new Normalize(List.of(0.5, 0.5, 0.5), List.of(0.5, 0.5, 0.5))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("3 means")
                .hasMessageContaining("1 channels");
    }
}
