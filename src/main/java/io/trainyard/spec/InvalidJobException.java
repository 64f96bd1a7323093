package io.trainyard.spec;

/// A job that cannot be run as it is written. The message is for the person who wrote the job: it names the
/// field, the value found and what is allowed.
public final class InvalidJobException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public InvalidJobException(String message) {
        super(message);
    }

    public InvalidJobException(String message, Throwable cause) {
        super(message, cause);
    }
}
