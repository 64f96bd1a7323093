package io.trainyard.training;

/// Too many attempts in a row ended abnormally. The message is a sentence for the job's author.
final class BrokeOffException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokeOffException(String message) {
        super(message);
    }
}
