package io.trainyard.data;

/// A data set that cannot be had. The message names the file, what was found and what was expected.
public sealed class DatasetException extends RuntimeException permits DatasetAwayException {
    private static final long serialVersionUID = 1L;

    public DatasetException(String message) {
        super(message);
    }

    public DatasetException(String message, Throwable cause) {
        super(message, cause);
    }
}
