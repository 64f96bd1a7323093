package io.trainyard.training;

import java.time.Instant;

/// The threads and the clocks of an attempt: the machine's, or those of the tests' simulated world.
interface AttemptHost {
    AttemptHost MACHINE = new AttemptHost() {
        // A daemon: a store that hangs must not keep the process.
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

    /// Starts a thread that does not keep the process.
    Thread start(String name, Runnable body);

    long nanoTime();

    Instant now();
}
