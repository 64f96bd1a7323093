package io.trainyard.checkpoint;

import java.io.IOException;

/// A store cannot be used: it is full, read-only or unavailable. The cause is never the job that used it.
public final class StoreException extends CheckpointException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message, IOException cause) {
        super(message, cause);
    }
}
