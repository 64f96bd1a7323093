package io.trainyard.training;

/// What a supervisor threw: it is nothing that the job or the attempt has done.
final class SupervisorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RuntimeException thrown;

    SupervisorException(RuntimeException thrown) {
        super(thrown);
        this.thrown = thrown;
    }

    RuntimeException thrown() {
        return thrown;
    }
}
