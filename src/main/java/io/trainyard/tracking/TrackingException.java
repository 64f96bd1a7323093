package io.trainyard.tracking;

/// The tracking store fails. The message is meant for users.
public final class TrackingException extends RuntimeException {
    TrackingException(String message) {
        super(message);
    }

    TrackingException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
    }
}
