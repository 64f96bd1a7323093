package io.trainyard.checkpoint;

/// A store or a file in it cannot be read or written. The message names it and the problem.
public sealed class CheckpointException extends RuntimeException permits StoreException {
    private static final long serialVersionUID = 1L;

    public CheckpointException(String message) {
        super(message);
    }

    public CheckpointException(String message, Throwable cause) {
        super(message, cause);
    }
}
