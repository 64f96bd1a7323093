package io.trainyard.data.image;

import io.trainyard.data.image.JpegFile.Colours;

/// Converts a JPEG's components to red, green and blue with libjpeg's fixed-point arithmetic (`jdcolor.c`), and
/// CMYK as PIL does.
final class JpegColours {
    private static final int HALF = 1 << 15;
    private static final int RED_OF_CR = fixed(1.40200);
    private static final int BLUE_OF_CB = fixed(1.77200);
    private static final int GREEN_OF_CR = fixed(0.71414);
    private static final int GREEN_OF_CB = fixed(0.34414);

    private JpegColours() {}

    private static int fixed(double value) {
        return (int) (value * (1 << 16) + 0.5);
    }

    /// @param samples (height, width, components); may be overwritten
    static DecodedImage picture(ImageSize size, Colours colours, byte[] samples) {
        return switch (colours) {
            case GREY -> new DecodedImage(size, 1, samples);
            case RGB -> new DecodedImage(size, 3, samples);
            case YCC -> {
                toRgb(samples, 3);
                yield new DecodedImage(size, 3, samples);
            }
            case CMYK -> new DecodedImage(size, 3, ofCmyk(samples));
            case YCCK -> { // its "red" is 255 - cyan, and Adobe stores 255 - cyan as well: PIL inverts both
                toRgb(samples, 4);
                yield new DecodedImage(size, 3, ofYcck(samples));
            }
        };
    }

    private static void toRgb(byte[] samples, int components) {
        for (int i = 0; i < samples.length; i += components) {
            int y = samples[i] & 0xff;
            int cb = (samples[i + 1] & 0xff) - 128;
            int cr = (samples[i + 2] & 0xff) - 128;
            samples[i] = clipped(y + (RED_OF_CR * cr + HALF >> 16));
            samples[i + 1] = clipped(y + (-GREEN_OF_CB * cb - GREEN_OF_CR * cr + HALF >> 16));
            samples[i + 2] = clipped(y + (BLUE_OF_CB * cb + HALF >> 16));
        }
    }

    private static byte[] ofCmyk(byte[] samples) {
        byte[] rgb = new byte[samples.length / 4 * 3];
        for (int from = 0, to = 0; from < samples.length; from += 4) {
            int white = samples[from + 3] & 0xff; // Adobe stores it inverted: 255 - black
            for (int c = 0; c < 3; c++) {
                rgb[to++] = remaining(255 - (samples[from + c] & 0xff), white);
            }
        }
        return rgb;
    }

    private static byte[] ofYcck(byte[] samples) {
        byte[] rgb = new byte[samples.length / 4 * 3];
        for (int from = 0, to = 0; from < samples.length; from += 4) {
            int white = samples[from + 3] & 0xff;
            for (int c = 0; c < 3; c++) {
                rgb[to++] = remaining(samples[from + c] & 0xff, white);
            }
        }
        return rgb;
    }

    /// The share of an ink in the white that black leaves: PIL's `cmyk2rgb`.
    private static byte remaining(int ink, int white) {
        int product = ink * white + 128;
        return clipped(white - ((product >> 8) + product >> 8));
    }

    private static byte clipped(int value) {
        return (byte) Math.clamp(value, 0, 255);
    }
}
