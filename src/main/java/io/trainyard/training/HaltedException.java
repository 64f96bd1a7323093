package io.trainyard.training;

import io.trainyard.training.Supervisor.Halt;

/// A stop was requested before the first step.
final class HaltedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Halt halt;

    HaltedException(Halt halt) {
        super("it was stopped before its first step");
        this.halt = halt;
    }

    Halt halt() {
        return halt;
    }
}
