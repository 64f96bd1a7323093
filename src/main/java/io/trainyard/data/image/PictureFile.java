package io.trainyard.data.image;

/// A file whose header has been read and found to be within bounds.
public interface PictureFile {
    PictureSize size();

    /// The most bytes of Java's heap that decoding a pixel takes, of the decoder's and the result's
    /// together.
    int bytesPerPixel();

    /// Decodes it as PIL's `open(...).convert("RGB")`; grey pictures may stay grey.
    ///
    /// @throws BrokenPictureException if it is not a whole picture
    Picture decode();
}
