package io.trainyard.data.image;

import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/// Decodes bytes in memory with an ImageIO reader.
final class ImageIoReader {
    @FunctionalInterface
    interface Reading<T> {
        T of(ImageReader reader) throws IOException;
    }

    private ImageIoReader() {}

    /// The JDK's own reader of a format, regardless of other readers on the class path.
    static ImageReader ofJdk(String format) {
        Iterator<ImageReader> readers = ImageIO.getImageReadersByFormatName(format);
        while (readers.hasNext()) {
            ImageReader reader = readers.next();
            if ("java.desktop".equals(reader.getClass().getModule().getName())) {
                return reader;
            }
            reader.dispose();
        }
        throw new IllegalStateException(
                "this Java has no reader of %s (module java.desktop); use a complete JDK 25".formatted(format));
    }

    /// @throws BrokenPictureException for any exception of the reader: broken files cause more than it declares
    static BufferedImage image(ImageReader reader, byte[] file) {
        return read(reader, file, it -> it.read(0));
    }

    /// Reads the samples as stored, without conversion.
    ///
    /// @throws BrokenPictureException for any exception of the reader
    static Raster raster(ImageReader reader, byte[] file) {
        return read(reader, file, it -> it.readRaster(0, null));
    }

    private static <T> T read(ImageReader reader, byte[] file, Reading<T> reading) {
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
            reader.setInput(in, true, true);
            return reading.of(reader);
        } catch (IOException | RuntimeException e) {
            throw undecodable(e);
        } finally {
            reader.dispose();
        }
    }

    /// Reports a decoder's exception as a broken picture.
    static BrokenImageException undecodable(Exception e) {
        return new BrokenImageException(
                "it cannot be decoded (%s: %s)".formatted(e.getClass().getSimpleName(), e.getMessage()), e);
    }
}
