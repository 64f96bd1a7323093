package io.trainyard.export;

import java.io.IOException;

/// What was to be exported cannot be written; the message is for people.
public final class ExportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ExportException(String message) {
        super(message);
    }

    ExportException(String message, IOException cause) {
        super(message + ": " + cause, cause);
    }
}
