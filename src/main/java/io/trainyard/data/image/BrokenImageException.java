package io.trainyard.data.image;

/// A file that is not a picture, or an incomplete one. The message has the reason without the file name.
public final class BrokenImageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BrokenImageException(String message) {
        super(message);
    }

    BrokenImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
