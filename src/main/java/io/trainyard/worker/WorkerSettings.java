package io.trainyard.worker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The settings of a worker: for example `-Dtrainyard.worker.grace=50s` or, in the environment,
/// `TRAINYARD_WORKER_GRACE=50s`.
@ConfigMapping(prefix = "trainyard")
public interface WorkerSettings {
    /// `host:port` of a broker.
    @WithDefault("localhost:9092")
    String kafka();

    Optional<Path> kafkaConfig();

    Topics topics();

    /// The folder with datasets, or `s3://bucket/prefix`. The default, `data`, may be missing because some
    /// datasets are built in.
    Optional<String> data();

    @WithDefault("data-cache")
    Path dataCache();

    /// The checkpoint store: a folder or a URI.
    @WithDefault("checkpoints")
    String checkpoints();

    Worker worker();

    /// A file with weights and quotas of projects; by default jobs are served in order.
    Optional<Path> projects();

    Limits limits();

    /// Limits of jobs: see [io.trainyard.spec.JobLimits].
    interface Limits {
        @WithDefault("4294967296")
        long parameters();

        @WithDefault("65536")
        int batchSize();

        @WithDefault("100000")
        int epochs();

        @WithDefault("1000000000000")
        long steps();

        /// The largest allowed and then required time limit of a job; 0: any.
        @WithDefault("0")
        int minutes();

        @WithDefault("1000")
        int trials();
    }

    interface Topics {
        @WithDefault("trainyard.")
        String prefix();
    }

    interface Worker {
        @WithDefault("false")
        boolean enabled();

        /// The worker's unique id; default: the host's name and a random suffix.
        Optional<String> id();

        /// `auto`, or a device's name.
        @WithDefault("auto")
        String device();

        /// CPU threads for computing; 0: the device chooses for each network.
        @WithDefault("0")
        int threads();

        @WithDefault("1")
        int slots();

        @WithDefault("2s")
        Duration heartbeat();

        /// From SIGTERM to the end: for the running step, a checkpoint, the last events and the requeueing of
        /// the job. Kubernetes' default is 30 s.
        @WithDefault("25s")
        Duration grace();

        /// How long a claim may wait for the brokers. Must be less than a command's lock.
        @WithDefault("5s")
        Duration claimTimeout();

        /// A job is requeued after this number of a monitor's own heartbeats without one of the job's owner.
        @WithDefault("8")
        int lostAfterHeartbeats();

        /// How much the worker's clock may differ from the brokers' before it stops claiming. Clocks with NTP
        /// differ by milliseconds; brokers refuse records that are an hour ahead.
        @WithDefault("5m")
        Duration maxClockSkew();

        @WithDefault("1000000")
        int maxWatched();

        /// A job fails after this number of workers had insufficient resources for it (its dataset, a library), or all
        /// live ones.
        @WithDefault("3")
        int maxRefusals();

        /// How long a command is deferred that no live worker understands; then it is dead-lettered.
        @WithDefault("10m")
        Duration newerTimeout();

        /// The interval between deletions of processed commands.
        @WithDefault("10m")
        Duration sweep();

        /// Attempts in a row that may end abnormally while they train, without a new checkpoint, before the job
        /// fails.
        @WithDefault("5")
        int maxAttempts();

        /// How often a job may be preempted; then it runs to its end.
        @WithDefault("3")
        int maxPreemptions();

        /// A block of steps counts as hung if it takes this many times as long as the slowest one before it.
        @WithDefault("20")
        int hangFactor();
    }
}
