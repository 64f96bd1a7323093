package io.trainyard.dashboard;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/// The dashboard's settings. All limits are here: what it keeps, and what it sends.
@ConfigMapping(prefix = "trainyard.dashboard")
public interface DashboardConfig {
    /// Whether this process reads the events.
    @WithDefault("false")
    boolean enabled();

    /// Jobs kept; past that the longest quiet of those that have ended or not begun leaves, then the quietest of all.
    @WithDefault("500")
    int maxJobs();

    /// Buckets of each job's loss curve; about 60 bytes each.
    @WithDefault("2000")
    int curveBuckets();

    /// Points of a loss curve in one answer.
    @WithDefault("1000")
    int curvePoints();

    /// Workers kept; past that the one that was longest unseen leaves.
    @WithDefault("1000")
    int maxWorkers();

    /// A worker unseen for so long is shown as gone.
    @WithDefault("10s")
    Duration workerGoneAfter();

    /// A worker unseen for so long leaves.
    @WithDefault("1h")
    Duration workerForgottenAfter();

    /// Time between two batches of changes on a live stream.
    @WithDefault("200ms")
    Duration livePeriod();

    /// A live stream on which nothing changes says so this often; a page that hears nothing for three times as long
    /// calls the connection lost.
    @WithDefault("5s")
    Duration liveKeepAlive();

    /// Live streams at one time; the next one is refused with 503.
    @WithDefault("200")
    int maxLiveStreams();
}
