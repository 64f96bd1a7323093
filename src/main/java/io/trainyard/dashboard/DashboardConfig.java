package io.trainyard.dashboard;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.trainyard.alert.AlertFormat;
import io.trainyard.alert.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The dashboard's settings, including all its limits.
@ConfigMapping(prefix = "trainyard.dashboard")
public interface DashboardConfig {
    /// Whether this process is a dashboard.
    @WithDefault("false")
    boolean enabled();

    /// The database of the tracking store: `jdbc:sqlite:FILE`, which is created if it does not exist, or
    /// `jdbc:postgresql://HOST/DATABASE?user=NAME&password=WORD`.
    @WithDefault("jdbc:sqlite:tracking.db")
    String tracking();

    /// The folder with the runs of `train` that are shown instead of a fleet's jobs; empty for a fleet.
    Optional<String> local();

    /// Whether requests that change something are refused.
    @WithDefault("false")
    boolean readOnly();

    /// The accepted host names without sign-in, in addition to localhost and loopback addresses.
    Optional<List<String>> hosts();

    /// The maximum size of a request body in bytes: that of the longest command. Parsing needs many times as
    /// much heap.
    @WithDefault("1048576")
    int maxBody();

    /// The maximum number of jobs in one request.
    @WithDefault("1000")
    int maxBulk();

    /// The limit of waiting jobs. Further jobs are refused.
    @WithDefault("100000")
    int maxWaiting();

    /// The limit of waiting jobs that one user submitted here, with sign-in.
    @WithDefault("10000")
    int maxWaitingEach();

    /// The maximum number of ended jobs in the store. The oldest are deleted.
    @WithDefault("100000")
    long keepJobs();

    /// Jobs are deleted this long after their end; empty for never.
    Optional<Duration> keepFor();

    /// The maximum number of listed jobs: the unfinished and the newest ones.
    @WithDefault("500")
    int maxJobs();

    /// The number of points of a loss curve in a response.
    @WithDefault("1000")
    int curvePoints();

    /// The maximum number of workers in memory. The one with the oldest heartbeat is removed.
    @WithDefault("1000")
    int maxWorkers();

    /// A worker without a heartbeat for this time is shown as lost.
    @WithDefault("10s")
    Duration workerLostAfter();

    /// A worker without a heartbeat for this time is removed.
    @WithDefault("1h")
    Duration workerRemovedAfter();

    /// The time between two updates on a live stream.
    @WithDefault("200ms")
    Duration livePeriod();

    /// The interval of messages on a live stream without changes. A page treats the connection as lost after
    /// three intervals without a message.
    @WithDefault("5s")
    Duration liveKeepAlive();

    /// The maximum number of live streams. The next one is refused with 503.
    @WithDefault("200")
    int maxLiveStreams();

    /// The folder in which TensorBoard event files are written while jobs run; empty for no files.
    Optional<String> tensorboard();

    /// Whether the pods of workers are marked busy or idle through the Kubernetes API server. The dashboard
    /// must run in a pod.
    @WithDefault("false")
    boolean markPods();

    /// The port on which KEDA gets the number of jobs that need a worker; empty to disable it.
    Optional<Integer> scalerPort();

    Alerts alerts();

    interface Alerts {
        /// The URL of the webhook; empty to disable alerts.
        Optional<String> url();

        /// The key that signs alerts: 24 to 64 bytes in Base64.
        Optional<String> secret();

        /// The form of the webhook's body.
        @WithDefault("standard")
        AlertFormat format();

        /// The enabled rules. Thresholds are enabled by [#thresholds].
        @WithDefault("failed,stalled,lost,spike")
        Set<Rule> rules();

        /// A job is stalled if it publishes nothing for this multiple of its longest interval so far.
        @WithDefault("10")
        double stallFactor();

        /// The minimum time until a job is stalled.
        @WithDefault("60s")
        Duration stallAfter();

        /// The minimum robust z-score of a loss that is a spike.
        @WithDefault("20")
        double spikeScore();

        /// The number of preceding losses with which a loss is compared.
        @WithDefault("200")
        int spikeWindow();

        /// Conditions such as `test_accuracy<0.5`.
        Optional<List<String>> thresholds();

        /// The maximum number of pending alerts.
        @WithDefault("1000")
        int maxPending();

        /// How long an alert is retried.
        @WithDefault("1h")
        Duration retryFor();
    }
}
