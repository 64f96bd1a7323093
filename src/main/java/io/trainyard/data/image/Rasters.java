package io.trainyard.data.image;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.DirectColorModel;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/// Converts ImageIO rasters like PIL's `convert("RGB")`: palettes are applied, alpha and colour profiles ignored,
/// and the upper 8 of 16 bits kept; except that 16-bit grey is clipped at 255, as in PIL.
final class Rasters {
    private Rasters() {}

    static DecodedImage picture(BufferedImage image, ImageSize size) {
        Raster raster = image.getRaster();
        requireSize(raster, size);
        return switch (image.getColorModel()) {
            case IndexColorModel palette -> ofPalette(raster, size, colours(palette));
            case DirectColorModel packed -> ofPacked(raster, size, packed);
            default -> ofSamples(raster, size);
        };
    }

    /// @throws BrokenPictureException if the size differs from the checked one
    static void requireSize(Raster raster, ImageSize size) {
        if (raster.getWidth() != size.width() || raster.getHeight() != size.height()) {
            throw new BrokenImageException("its header states %s pixels, and it has %d x %d"
                    .formatted(size, raster.getWidth(), raster.getHeight()));
        }
    }

    /// Palette indices, a byte each, (height, width).
    static byte[] indices(Raster raster) {
        if (raster.getTransferType() != DataBuffer.TYPE_BYTE || raster.getNumBands() != 1) {
            throw new BrokenImageException("its palette has more than 256 colours");
        }
        byte[] indices = new byte[raster.getWidth() * raster.getHeight()];
        byte[] row = new byte[raster.getWidth()];
        for (int y = 0; y < raster.getHeight(); y++) {
            raster.getDataElements(raster.getMinX(), raster.getMinY() + y, row.length, 1, row);
            System.arraycopy(row, 0, indices, y * row.length, row.length);
        }
        return indices;
    }

    /// 256 colours as 0xRRGGBB. Missing colours are grey, as in a new palette of PIL.
    static int[] colours(IndexColorModel palette) {
        int[] colours = new int[256];
        for (int i = 0; i < colours.length; i++) {
            colours[i] = i < palette.getMapSize() ? palette.getRGB(i) & 0xff_ffff : i * 0x1_0101;
        }
        return colours;
    }

    static DecodedImage ofIndices(byte[] indices, ImageSize size, int[] colours) {
        byte[] rgb = new byte[3 * indices.length];
        for (int i = 0, to = 0; i < indices.length; i++) {
            int colour = colours[indices[i] & 0xff];
            rgb[to++] = (byte) (colour >> 16);
            rgb[to++] = (byte) (colour >> 8);
            rgb[to++] = (byte) colour;
        }
        return new DecodedImage(size, 3, rgb);
    }

    private static DecodedImage ofPalette(Raster raster, ImageSize size, int[] colours) {
        return ofIndices(indices(raster), size, colours);
    }

    /// Pixels with a few bits for each colour packed in one number: value * 255 / largest, truncated, as PIL
    /// unpacks them.
    private static DecodedImage ofPacked(Raster raster, ImageSize size, DirectColorModel packed) {
        int[] bits = {
            Integer.bitCount(packed.getRedMask()),
            Integer.bitCount(packed.getGreenMask()),
            Integer.bitCount(packed.getBlueMask())
        };
        if (IntStream.of(bits).anyMatch(each -> each < 1 || each > 8)) {
            throw new BrokenImageException(
                    "its colours have %s bits a pixel; allowed are 1 to 8 each".formatted(Arrays.toString(bits)));
        }
        byte[] rgb = new byte[3 * size.pixels()];
        int[] row = new int[size.width() * raster.getNumBands()];
        for (int y = 0, to = 0; y < size.height(); y++) {
            raster.getPixels(raster.getMinX(), raster.getMinY() + y, size.width(), 1, row);
            for (int x = 0; x < size.width(); x++) {
                for (int c = 0; c < 3; c++) {
                    int largest = (1 << bits[c]) - 1;
                    rgb[to++] = (byte) (row[x * raster.getNumBands() + c] * 255 / largest);
                }
            }
        }
        return new DecodedImage(size, 3, rgb);
    }

    private static DecodedImage ofSamples(Raster raster, ImageSize size) {
        int bands = raster.getNumBands();
        int channels = bands < 3 ? 1 : 3;
        IntUnaryOperator toByte = switch (raster.getTransferType()) {
            case DataBuffer.TYPE_BYTE -> value -> value;
            case DataBuffer.TYPE_USHORT -> bands == 1 ? value -> Math.min(value, 255) : value -> value >> 8;
            default -> throw new BrokenImageException("its samples are neither of 8 bits nor of 16; save it with 8");
        };
        byte[] pixels = new byte[channels * size.pixels()];
        int[] row = new int[size.width() * bands];
        for (int y = 0, to = 0; y < size.height(); y++) {
            raster.getPixels(raster.getMinX(), raster.getMinY() + y, size.width(), 1, row);
            for (int x = 0; x < size.width(); x++) {
                for (int c = 0; c < channels; c++) {
                    pixels[to++] = (byte) toByte.applyAsInt(row[x * bands + c]);
                }
            }
        }
        return new DecodedImage(size, channels, pixels);
    }
}
