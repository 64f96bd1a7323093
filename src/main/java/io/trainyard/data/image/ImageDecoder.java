package io.trainyard.data.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

public final class ImageDecoder {
    /// The longest file in bytes: several times the size of any JPEG of the most pixels.
    public static final int MAX_FILE_BYTES = 1 << 28;

    private ImageDecoder() {}

    /// Reads a file.
    ///
    /// @throws BrokenPictureException if it is too long
    public static byte[] bytes(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new BrokenImageException(
                        "it has %d bytes; allowed are %d".formatted(Files.size(file), MAX_FILE_BYTES));
            }
            return in.readNBytes(MAX_FILE_BYTES);
        }
    }

    /// Reads the header and checks it against [ImageSize]; allocates no memory for the pixels.
    ///
    /// @throws BrokenPictureException if the format is not supported, or the file is incomplete
    public static ImageFile open(byte[] file) {
        return ImageFormat.open(file);
    }
}
