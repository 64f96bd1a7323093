package io.trainyard.worker;

/// Another live worker has the same id: events and the dashboard would mix the two.
public final class WorkerIdTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WorkerIdTakenException(String id) {
        super(
                "worker id \"%s\" is taken: a worker of that name sends heartbeats; give this one another --id, or none, and it gets one of its own"
                        .formatted(id));
    }
}
