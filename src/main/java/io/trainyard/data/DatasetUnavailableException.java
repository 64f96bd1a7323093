package io.trainyard.data;

/// A dataset that is unavailable for now: its storage does not answer, or the disk is full. A retry may succeed,
/// on this worker as well.
public final class DatasetUnavailableException extends DatasetException {
    private static final long serialVersionUID = 1L;

    public DatasetUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
