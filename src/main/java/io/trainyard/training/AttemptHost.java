package io.trainyard.training;

import java.time.Instant;

/// The threads and clocks of an attempt. Tests simulate them.
public interface AttemptHost {
    AttemptHost MACHINE = new AttemptHost() {};

    /// Starts a daemon thread: a hanging store must not keep the process alive.
    default Thread start(String name, Runnable body) {
        return Thread.ofPlatform().name(name).daemon().start(body);
    }

    default long nanoTime() {
        return System.nanoTime();
    }

    default Instant now() {
        return Instant.now();
    }
}
