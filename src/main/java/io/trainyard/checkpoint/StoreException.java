package io.trainyard.checkpoint;

import java.io.IOException;

/// A store that cannot be used: it is full, read-only or away. That is the trouble of a worker, or of all, and
/// never of the job whose turn it was.
public final class StoreException extends CheckpointException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message, IOException cause) {
        super(message, cause);
    }
}
