package io.trainyard.training;

/// Training has left the finite numbers; nothing it does after that means anything. The message is a sentence for the
/// person whose job it is.
final class DivergedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DivergedException(String message) {
        super(message);
    }
}
