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

    /// A file of Kafka's settings of connections.
    Optional<Path> kafkaConfig();

    Topics topics();

    /// The folder with the data sets, or `s3://bucket/prefix`; default: `data`, which may be missing, because some data
    /// sets are built in.
    Optional<String> data();

    /// Where data sets of a bucket are kept on this machine.
    @WithDefault("data-cache")
    Path dataCache();

    /// Where checkpoints go: a folder, or a URI.
    @WithDefault("checkpoints")
    String checkpoints();

    Worker worker();

    /// A file of weights and quotas of projects; default: none, and whoever comes first is served first.
    Optional<Path> projects();

    Limits limits();

    /// What a job may ask for: see [io.trainyard.spec.JobLimits].
    interface Limits {
        /// Of a network, all layers together.
        @WithDefault("4294967296")
        long parameters();

        /// Samples a step.
        @WithDefault("65536")
        int batchSize();

        /// Of a job.
        @WithDefault("100000")
        int epochs();

        /// Of a job, all epochs together.
        @WithDefault("1000000000000")
        long steps();

        /// That a job may be given, which it then must be; 0: any.
        @WithDefault("0")
        int minutes();

        /// Of a sweep.
        @WithDefault("1000")
        int trials();
    }

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

        /// How many jobs it has at once.
        @WithDefault("1")
        int slots();

        /// Time between heartbeats.
        @WithDefault("2s")
        Duration heartbeat();

        /// From SIGTERM to the end: time for the running step, a checkpoint, the last events, and the handing
        /// over of the job. Kubernetes kills after 30 s unless told otherwise.
        @WithDefault("25s")
        Duration grace();

        /// How long a claim may wait for the brokers, while a command is held. A command's lock lasts longer.
        @WithDefault("5s")
        Duration claimTimeout();

        /// After so many of a keeper's own heartbeats without one of its holder, a job is given to another worker.
        @WithDefault("8")
        int lostAfterBeats();

        /// How much the worker's clock may differ from the brokers'; with more it claims nothing. Clocks that are kept
        /// by NTP differ by milliseconds; brokers refuse records that are an hour ahead.
        @WithDefault("5m")
        Duration maxClockSkew();

        /// The most jobs that a worker watches.
        @WithDefault("1000000")
        int maxWatched();

        /// So many workers that lack what a job needs (its data set, a library) make it fail; or all that are
        /// there.
        @WithDefault("3")
        int maxRefusals();

        /// How long a command waits that is newer than what any worker that is heard understands; then it is a dead
        /// letter.
        @WithDefault("10m")
        Duration newerTimeout();

        /// Time between two deletions of commands that have been dealt with.
        @WithDefault("10m")
        Duration sweep();

        /// Attempts in a row that may break off while they train, without a new checkpoint; then the job has
        /// failed.
        @WithDefault("5")
        int maxAttempts();

        /// How often a job makes room for urgent ones; then it runs to its end.
        @WithDefault("3")
        int maxPreemptions();

        /// A block of steps that takes so many times as long as the slowest before it hangs; the worker gives up.
        @WithDefault("20")
        int hangFactor();
    }
}
