package io.trainyard.data.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImageTransformTest {
    /// 150 cases with odd sizes: scaled up and down, grey and coloured, cropped and padded.
    @Test
    void transformsAsTorchvisionDoes() throws Exception {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        assertThat(GoldenPictures.transformed()).hasSize(150).allSatisfy(golden -> {
            DecodedImage picture = golden.transform().apply(GoldenPictures.pattern(golden.from()));
            assertThat(picture.size()).isEqualTo(golden.to());
            assertThat(golden.transform().sizeOf(golden.from())).isEqualTo(golden.to());
            assertThat(HexFormat.of().formatHex(sha256.digest(picture.pixels())))
                    .isEqualTo(golden.sha256());
        });
    }

    @Test
    void rejectsAThinPictureThatGrowsTooLarge() {
        ImageTransform transform = new ImageTransform(false, List.of(4_096), List.of(32));
        assertThatThrownBy(() -> transform.apply(new DecodedImage(new ImageSize(1, 100), 1, new byte[100])))
                .isInstanceOf(BrokenImageException.class)
                .hasMessageContaining("4096 x 409600 pixels");
    }
}
