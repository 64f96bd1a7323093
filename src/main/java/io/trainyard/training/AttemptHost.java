package io.trainyard.training;

import java.time.Instant;

/// The threads and clocks of an attempt. Tests simulate them.
interface AttemptHost {
    AttemptHost MACHINE = new AttemptHost() {
        // A daemon: a hanging store must not keep the process alive.
        @Override
        public Thread start(String name, Runnable body) {
            return Thread.ofPlatform().name(name).daemon().start(body);
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Instant now() {
            return Instant.now();
        }
    };

    /// Starts a daemon thread.
    Thread start(String name, Runnable body);

    long nanoTime();

    Instant now();
}
