package io.trainyard.data.image;

/// A file that is no picture, or not a whole one. The message says what is wrong and does not name the
/// file.
public final class BrokenPictureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPictureException(String message) {
        super(message);
    }

    BrokenPictureException(String message, Throwable cause) {
        super(message, cause);
    }
}
