package io.trainyard.data.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.data.image.GoldenPictures.Decoded;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageDecoderTest {
    /// Mutated images with more pixels are not decoded, which would only take time.
    private static final int SMALL = 1_000_000;

    static List<Decoded> pictures() {
        return GoldenPictures.decoded();
    }

    /// These limits are in docs/reference/datasets.md.
    @ParameterizedTest
    @MethodSource("pictures")
    void decodesAsPilDoes(Decoded golden) {
        DecodedImage picture = ImageDecoder.open(golden.bytes()).decode().rgb();
        assertThat(picture.size()).isEqualTo(new ImageSize(golden.width(), golden.height()));
        if (!golden.file().startsWith("lossy")) {
            assertThat(picture.pixels()).isEqualTo(golden.rgb());
            return;
        }
        int most = 0;
        long sum = 0;
        for (int i = 0; i < golden.rgb().length; i++) {
            int difference = Math.abs((picture.pixels()[i] & 0xff) - (golden.rgb()[i] & 0xff));
            most = Math.max(most, difference);
            sum += difference;
        }
        assertThat(most).isLessThanOrEqualTo(16);
        assertThat((double) sum / golden.rgb().length).isLessThan(2);
    }

    static List<Decoded> ofOneFrame() {
        return pictures().stream()
                .filter(picture -> !picture.file().equals("animated.gif"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ofOneFrame")
    void rejectsTruncatedPictures(Decoded golden) {
        byte[] whole = golden.bytes();
        for (int tenth = 0; tenth < 9; tenth++) {
            byte[] cut = Arrays.copyOf(whole, whole.length * tenth / 10);
            assertThatThrownBy(() -> ImageDecoder.open(cut).decode())
                    .as("%d of %d bytes", cut.length, whole.length)
                    .isInstanceOf(BrokenImageException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rgb.png", "rgb.bmp", "palette.gif", "420.jpg"})
    void doesNotTrustAHeader(String file) {
        byte[] bomb = GoldenPictures.bytes(file);
        ByteBuffer header = ByteBuffer.wrap(bomb);
        switch (file) {
            case "rgb.png" -> {
                header.putInt(16, 20_000).putInt(20, 20_000);
                mendChecksums(bomb);
            }
            case "rgb.bmp" ->
                header.order(ByteOrder.LITTLE_ENDIAN).putInt(18, 20_000).putInt(22, -20_000);
            case "palette.gif" ->
                header.order(ByteOrder.LITTLE_ENDIAN)
                        .putShort(6, (short) 20_000)
                        .putShort(8, (short) 20_000);
            default -> {
                int frame = new String(bomb, StandardCharsets.ISO_8859_1).indexOf("\u00ff\u00c0");
                header.putShort(frame + 5, (short) 20_000).putShort(frame + 7, (short) 20_000);
            }
        }
        assertThatThrownBy(() -> ImageDecoder.open(bomb))
                .isInstanceOf(BrokenImageException.class)
                .hasMessage(
                        "its header states 20000 x 20000 pixels; allowed are 1 to 65535 a side and 89478485 in all");
    }

    @Test
    void aJpegOfAThousandScansIsRefused() {
        byte[] whole = GoldenPictures.bytes("progressive.jpg");
        int first = new String(whole, StandardCharsets.ISO_8859_1).indexOf("\u00ff\u00da");
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(whole, 0, first);
        byte[] scan = {(byte) 0xff, (byte) 0xda, 0, 8, 1, 1, 0, 0, 0, 0};
        for (int i = 0; i < 1_000; i++) {
            file.writeBytes(scan);
        }
        file.write(whole, first, whole.length - first);
        assertThatThrownBy(() -> ImageDecoder.open(file.toByteArray()))
                .isInstanceOf(BrokenImageException.class)
                .hasMessage("it is a JPEG of more than 100 scans");
    }

    @Test
    void listsTheSupportedFormats() {
        assertThatThrownBy(() -> ImageDecoder.open("hello".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(BrokenImageException.class)
                .hasMessage("it is not a PNG, JPEG, BMP, GIF or WebP; convert it to one of these, or remove it");
    }

    @Slow
    @ParameterizedTest
    @EnumSource
    void mutatedPicturesAreReadOrBroken(ImageFormat format) {
        var _ = mutate(format, 500, 1);
    }

    /// `./mvnw test -Dtest=ImageDecoderTest -Dtest.excluded=fakeCuda -Dfiles=100000 -Dseed=1`
    @Campaign
    @ParameterizedTest
    @EnumSource
    void mutatedPicturesOfAnyCountAreReadOrBroken(ImageFormat format) {
        int files = Integer.getInteger("files", 100_000);
        int broken = mutate(format, files, Long.getLong("seed", 1));
        System.out.printf("%s: %,d mutated files, %,d broken%n", format, files, broken);
    }

    /// @return how many images were refused
    private static int mutate(ImageFormat format, int count, long seed) {
        List<Decoded> pictures = pictures().stream()
                .filter(picture -> format.begins(picture.bytes()))
                .toList();
        Random random = new Random(seed);
        int broken = 0;
        for (int i = 0; i < count; i++) {
            Decoded golden = pictures.get(i % pictures.size());
            byte[] file = mutated(golden.bytes(), random);
            if (format == ImageFormat.PNG) {
                mendChecksums(file);
            }
            try {
                broken += isBroken(file) ? 1 : 0;
            } catch (RuntimeException | Error e) { // no other error may occur
                throw new AssertionError("%s, mutation %d of the seed %d".formatted(golden.file(), i, seed), e);
            }
        }
        return broken;
    }

    private static boolean isBroken(byte[] file) {
        try {
            ImageFile picture = ImageDecoder.open(file);
            if (picture.size().pixels() < SMALL) {
                DecodedImage _ = picture.decode();
            }
            return false;
        } catch (BrokenImageException e) {
            return true;
        }
    }

    /// Changes one to four bytes, mostly in the headers, and sometimes truncates.
    private static byte[] mutated(byte[] file, Random random) {
        for (int change = random.nextInt(4); change >= 0; change--) {
            int at = random.nextInt(random.nextInt(3) == 0 ? Math.min(64, file.length) : file.length);
            switch (random.nextInt(4)) {
                case 0 -> file[at] = (byte) random.nextInt();
                case 1 -> file[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> file[at] = (byte) (random.nextBoolean() ? 0xff : 0);
                default -> file = Arrays.copyOf(file, file.length - random.nextInt(1 + file.length / 8));
            }
        }
        return file;
    }

    /// Corrects the checksums, so that a mutation reaches the decoder.
    private static void mendChecksums(byte[] png) {
        ByteBuffer file = ByteBuffer.wrap(png);
        for (int at = 8; at + 12 <= png.length; ) {
            int length = file.getInt(at);
            if (length < 0 || length > png.length - at - 12) {
                return;
            }
            CRC32 crc = new CRC32();
            crc.update(png, at + 4, length + 4);
            file.putInt(at + 8 + length, (int) crc.getValue());
            at += length + 12;
        }
    }
}
