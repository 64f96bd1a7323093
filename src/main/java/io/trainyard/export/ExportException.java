package io.trainyard.export;

import java.io.IOException;

/// The export cannot be written. The message is for users.
public final class ExportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ExportException(String message) {
        super(message);
    }

    public ExportException(String message, IOException cause) {
        super(message + ": " + cause, cause);
    }
}
