package io.trainyard.spec;

/// A job that cannot be run as written. The message is for the author of the job: it names the field, the value
/// found and the allowed values.
public final class InvalidJobException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public InvalidJobException(String message) {
        super(message);
    }

    public InvalidJobException(String message, Throwable cause) {
        super(message, cause);
    }
}
