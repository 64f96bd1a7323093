package io.trainyard.worker;

/// Another live worker has the same id: events and the dashboard would mix the two.
public final class WorkerIdTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WorkerIdTakenException(String id) {
        super(
                "worker id \"%s\" is in use: another worker sends heartbeats with this id; use another --id, or omit it for a random one"
                        .formatted(id));
    }
}
