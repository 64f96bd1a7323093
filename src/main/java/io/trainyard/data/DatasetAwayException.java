package io.trainyard.data;

/// A data set that cannot be had at the moment: where it lies does not answer, or there is no room for it here. Unlike
/// one that is not there it may be had later, by this worker, too.
public final class DatasetAwayException extends DatasetException {
    private static final long serialVersionUID = 1L;

    public DatasetAwayException(String message, Throwable cause) {
        super(message, cause);
    }
}
