package io.trainyard.data;

/// A dataset that cannot be used. The message names the file, the value found and the value expected.
public sealed class DatasetException extends RuntimeException permits DatasetUnavailableException {
    private static final long serialVersionUID = 1L;

    public DatasetException(String message) {
        super(message);
    }

    public DatasetException(String message, Throwable cause) {
        super(message, cause);
    }
}
