package io.trainyard.data.image;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A decoded picture in PIL's layout.
///
/// @param channels 3 (red, green, blue) or 1 (grey)
/// @param pixels (height, width, channels), unsigned bytes
public record DecodedImage(ImageSize size, int channels, byte[] pixels) {
    public DecodedImage {
        if (pixels.length != size.pixels() * channels) {
            throw new IllegalArgumentException(
                    "%d bytes for %s pixels of %d channels".formatted(pixels.length, size, channels));
        }
    }

    /// PIL's `convert("L")` of RGB: ITU-R 601-2, in units of 2^-16, rounded.
    DecodedImage grey() {
        if (channels == 1) {
            return this;
        }
        byte[] grey = new byte[size.pixels()];
        for (int i = 0, from = 0; i < grey.length; i++, from += 3) {
            int luma = (pixels[from] & 0xff) * 19_595
                    + (pixels[from + 1] & 0xff) * 38_470
                    + (pixels[from + 2] & 0xff) * 7_471
                    + 0x8000;
            grey[i] = (byte) (luma >> 16);
        }
        return new DecodedImage(size, 1, grey);
    }

    /// PIL's `convert("RGB")` of grey.
    DecodedImage rgb() {
        if (channels == 3) {
            return this;
        }
        byte[] rgb = new byte[3 * pixels.length];
        for (int i = 0, to = 0; i < pixels.length; i++) {
            rgb[to++] = pixels[i];
            rgb[to++] = pixels[i];
            rgb[to++] = pixels[i];
        }
        return new DecodedImage(size, 3, rgb);
    }

    /// Writes it as planes, (channels, height, width), the layout of a sample.
    ///
    /// @param to has [#size] pixels times [#channels] bytes
    public void writePlanes(MemorySegment to) {
        int plane = size.pixels();
        for (int c = 0; c < channels; c++) {
            for (int i = 0; i < plane; i++) {
                to.set(ValueLayout.JAVA_BYTE, (long) c * plane + i, pixels[i * channels + c]);
            }
        }
    }
}
