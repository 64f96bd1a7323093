package io.trainyard.training;

/// Too many attempts in a row ended abnormally. The message is a sentence for the job's author.
final class TooManyAttemptsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyAttemptsException(String message) {
        super(message);
    }
}
