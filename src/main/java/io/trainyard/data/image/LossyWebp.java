package io.trainyard.data.image;

import com.twelvemonkeys.imageio.plugins.webp.vp8.VP8Frame;
import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/// A VP8 key frame. TwelveMonkeys decodes it to planes, but its reader's conversion is far from libwebp's colours
/// (by up to 60 of 255, 4 on average), because it uses the next chroma sample and the range of JPEG. So the
/// planes are upsampled and converted here as in libwebp (`upsampling.c`, `yuv.h`).
final class LossyWebp {
    private final ImageSize size;
    private final byte[] luma; // (height, width)
    private final byte[] blue; // (half the height, half the width)
    private final byte[] red;

    private LossyWebp(ImageSize size, VP8Frame frame) {
        this.size = size;
        luma = plane(frame.getDebugImageYBuffer(), 1);
        blue = plane(frame.getDebugImageUBuffer(), 2);
        red = plane(frame.getDebugImageVBuffer(), 2);
    }

    /// @param chunk the content of the `VP8 ` chunk
    /// @throws BrokenPictureException for any exception of the decoder
    static DecodedImage decode(byte[] chunk, ImageSize size) {
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(chunk))) {
            in.setByteOrder(ByteOrder.LITTLE_ENDIAN);
            VP8Frame frame = new VP8Frame(in, false);
            boolean decoded =
                    frame.decode(Raster.createInterleavedRaster(0, size.width(), size.height(), 3, null), null);
            if (!decoded || frame.getWidth() != size.width() || frame.getHeight() != size.height()) {
                throw new BrokenImageException("it has no frame of the size that its header states");
            }
            return new LossyWebp(size, frame).toRgb();
        } catch (BrokenImageException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw ImageIoReader.undecodable(e);
        }
    }

    /// @param step between samples: the decoder returns chroma planes in the size of luma, with each sample four
    ///     times
    private static byte[] plane(BufferedImage image, int step) {
        int width = Math.ceilDiv(image.getWidth(), step);
        int height = Math.ceilDiv(image.getHeight(), step);
        byte[] plane = new byte[width * height];
        int[] row = new int[image.getWidth()];
        for (int y = 0; y < height; y++) {
            image.getRaster().getSamples(0, y * step, row.length, 1, 0, row);
            for (int x = 0; x < width; x++) {
                plane[y * width + x] = (byte) row[x * step];
            }
        }
        return plane;
    }

    private DecodedImage toRgb() {
        byte[] rgb = new byte[3 * size.pixels()];
        int to = 0;
        for (int y = 0; y < size.height(); y++) {
            for (int x = 0; x < size.width(); x++) {
                int light = (luma[y * size.width() + x] & 0xff) * 19_077 >> 8;
                int u = chroma(blue, x, y);
                int v = chroma(red, x, y);
                rgb[to++] = clipped(light + (v * 26_149 >> 8) - 14_234);
                rgb[to++] = clipped(light - (u * 6_419 >> 8) - (v * 13_320 >> 8) + 8_708);
                rgb[to++] = clipped(light + (u * 33_050 >> 8) - 17_685);
            }
        }
        return new DecodedImage(size, 3, rgb);
    }

    /// Weights 9 for the sample of the pixel, 3 each for the nearest horizontal and vertical neighbours, 1 for the
    /// diagonal one; edges are repeated.
    private int chroma(byte[] plane, int x, int y) {
        int width = (size.width() + 1) / 2;
        int height = (size.height() + 1) / 2;
        int column = x / 2;
        int row = y / 2;
        int besideColumn = Math.clamp(column + (x % 2 == 0 ? -1 : 1), 0, width - 1);
        int besideRow = Math.clamp(row + (y % 2 == 0 ? -1 : 1), 0, height - 1);
        int own = plane[row * width + column] & 0xff;
        int aside = plane[row * width + besideColumn] & 0xff;
        int above = plane[besideRow * width + column] & 0xff;
        int across = plane[besideRow * width + besideColumn] & 0xff;
        int diagonal = own + aside + above + across + 8 + 2 * (aside + above) >> 3;
        return diagonal + own >> 1;
    }

    private static byte clipped(int value) {
        return (byte) (value < 0 ? 0 : Math.min(value >> 6, 255));
    }
}
