package io.trainyard.tracking;

/// The tracking store fails; its message is for people.
public final class TrackingException extends RuntimeException {
    TrackingException(String message) {
        super(message);
    }

    TrackingException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
    }
}
