package io.trainyard.data.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

public final class Pictures {
    /// The longest file that is read, in bytes: several times what any picture of the most pixels takes as
    /// a JPEG.
    public static final int MAX_FILE_BYTES = 1 << 28;

    private Pictures() {}

    /// A file's bytes.
    ///
    /// @throws BrokenPictureException if it is longer than any picture
    public static byte[] bytes(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new BrokenPictureException(
                        "it has %d bytes; allowed are %d".formatted(Files.size(file), MAX_FILE_BYTES));
            }
            return in.readNBytes(MAX_FILE_BYTES);
        }
    }

    /// Reads the header, which cannot say more than [PictureSize] allows; no memory is set aside for the
    /// pixels.
    ///
    /// @throws BrokenPictureException if the file is none of the formats that are read, or is not whole
    public static PictureFile open(byte[] file) {
        return PictureFormat.open(file);
    }
}
