package io.trainyard.worker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// What can be set about a worker: as `-Dtrainyard.worker.grace=50s`, or `TRAINYARD_WORKER_GRACE=50s` in the
/// environment.
@ConfigMapping(prefix = "trainyard")
public interface WorkerSettings {
    /// `host:port` of a broker.
    @WithDefault("localhost:9092")
    String kafka();

    Topics topics();

    /// The folder with the data sets; default: `data`, which may be missing, because some data sets are built in.
    Optional<Path> data();

    /// Where checkpoints go: a folder, or a URI.
    @WithDefault("checkpoints")
    String checkpoints();

    Worker worker();

    /// The names of the topics.
    interface Topics {
        /// What all topics' names begin with.
        @WithDefault("trainyard.")
        String prefix();
    }

    /// One worker.
    interface Worker {
        /// Whether this process is a worker.
        @WithDefault("false")
        boolean enabled();

        /// Names the worker everywhere, and no other one; default: the host's name and a random suffix.
        Optional<String> id();

        /// `auto`, or a device's name.
        @WithDefault("auto")
        String device();

        /// CPU threads to compute with; 0 lets the device choose for each network.
        @WithDefault("0")
        int threads();

        /// Time between heartbeats.
        @WithDefault("2s")
        Duration heartbeat();

        /// From SIGTERM to the end: time for the running step, a checkpoint, the last events, and the release of the
        /// command. Kubernetes kills after 30 s unless told otherwise.
        @WithDefault("25s")
        Duration grace();

        /// How long the brokers may take to acknowledge a job's last events; past it the claim counts as lost.
        @WithDefault("30s")
        Duration flushTimeout();

        /// How long an event may wait for room among those on their way; past it the claim counts as lost.
        @WithDefault("60s")
        Duration sendTimeout();
    }
}
