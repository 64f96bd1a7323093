package io.trainyard.worker;

import io.trainyard.training.SupervisorException;
import org.jspecify.annotations.Nullable;

/// The brokers do not have all events of a job and never will. The attempt must be given up, because nothing it
/// does would be visible.
public final class EventsLostException extends SupervisorException {
    private static final long serialVersionUID = 1L;

    EventsLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
