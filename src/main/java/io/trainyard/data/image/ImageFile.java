package io.trainyard.data.image;

/// A file with a valid header within the size limits.
public interface ImageFile {
    ImageSize size();

    /// The most Java heap for decoding, in bytes per pixel, including the result.
    int bytesPerPixel();

    /// Decodes it as PIL's `open(...).convert("RGB")`; grey pictures may stay grey.
    ///
    /// @throws BrokenPictureException if the picture is incomplete
    DecodedImage decode();
}
