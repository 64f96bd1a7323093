package io.trainyard.worker;

/// A worker with the same id is at work: two would be one in every event, and on the page.
public final class WorkerIdTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WorkerIdTakenException(String id) {
        super(
                "worker id \"%s\" is taken: a worker of that name sends heartbeats; give this one another --id, or none, and it gets one of its own"
                        .formatted(id));
    }
}
