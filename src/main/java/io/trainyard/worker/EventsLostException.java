package io.trainyard.worker;

import io.trainyard.training.SupervisorException;
import org.jspecify.annotations.Nullable;

/// Events of a job are not with the brokers and will not be: whoever works on the job must give it up, because nobody
/// would hear of it.
public final class EventsLostException extends SupervisorException {
    private static final long serialVersionUID = 1L;

    EventsLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
