package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointException;
import org.jspecify.annotations.Nullable;

/// A supervisor gives its attempt up, not because of the job.
public class SupervisorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SupervisorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /// The exception to throw out of the attempt.
    RuntimeException thrown() {
        return getCause() instanceof CheckpointException cause ? cause : this;
    }
}
