package io.trainyard.worker;

import org.jspecify.annotations.Nullable;

/// The lock on a command is gone, or must be taken for gone: another worker may have it.
final class ClaimLostException extends Exception {
    private static final long serialVersionUID = 1L;

    ClaimLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
