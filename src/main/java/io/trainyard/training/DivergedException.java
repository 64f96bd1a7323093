package io.trainyard.training;

/// Training has left the finite numbers. The message is a sentence for the job's author.
final class DivergedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DivergedException(String message) {
        super(message);
    }
}
