package io.trainyard.kubernetes;

/// The API server does not answer or refuses a request. The message is one line.
public final class ApiServerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ApiServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
