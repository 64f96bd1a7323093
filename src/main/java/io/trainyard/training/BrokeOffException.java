package io.trainyard.training;

/// Too many attempts in a row have broken off. The message is a sentence for the person whose job it is.
final class BrokeOffException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokeOffException(String message) {
        super(message);
    }
}
