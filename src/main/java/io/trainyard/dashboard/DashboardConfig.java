package io.trainyard.dashboard;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.trainyard.alert.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The dashboard's settings. All limits are here: what it keeps, and what it sends.
@ConfigMapping(prefix = "trainyard.dashboard")
public interface DashboardConfig {
    /// Whether this process reads the events.
    @WithDefault("false")
    boolean enabled();

    /// The tracking store, where the history of all jobs is kept: `jdbc:sqlite:FILE`, which is made where there
    /// is none, or `jdbc:postgresql://HOST/DATABASE?user=NAME&password=WORD`.
    @WithDefault("jdbc:sqlite:tracking.db")
    String tracking();

    /// Whether calls that change something are refused.
    @WithDefault("false")
    boolean readOnly();

    /// Names, besides localhost and loopback addresses, by which the dashboard may be addressed where nobody signs in.
    Optional<List<String>> hosts();

    /// Bytes of the body of one call: those of the longest command. What is made of it takes many times as much heap.
    @WithDefault("1048576")
    int maxBody();

    /// Jobs in one call that submits them, or asks something of them.
    @WithDefault("1000")
    int maxBulk();

    /// Jobs that wait for a worker, as far as is known here: more are not submitted.
    @WithDefault("100000")
    int maxWaiting();

    /// The same of jobs that one person submitted here, where people sign in.
    @WithDefault("10000")
    int maxWaitingEach();

    /// Jobs that have ended that are kept; of more the eldest are forgotten.
    @WithDefault("100000")
    long keepJobs();

    /// A job that ended so long ago is forgotten; absent: never.
    Optional<Duration> keepFor();

    /// Jobs that the page lists: those that are under way, and the newest.
    @WithDefault("500")
    int maxJobs();

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

    /// A folder where event files of TensorBoard grow with the jobs; absent: nowhere.
    Optional<String> tensorboard();

    /// Whether the pods of workers are marked busy or idle, by the API server of the Kubernetes that this process is a
    /// pod of.
    @WithDefault("false")
    boolean markPods();

    /// The port on which KEDA is told how many jobs want a worker; absent: none.
    Optional<Integer> scalerPort();

    Alerts alerts();

    interface Alerts {
        /// Where they are sent; absent: nowhere.
        Optional<String> url();

        /// What they are signed with: 24 to 64 bytes in Base64.
        Optional<String> secret();

        /// What is told; a threshold is told where there is one.
        @WithDefault("failed,stalled,lost,spike")
        Set<Rule> rules();

        /// A job is stalled when it is silent for so many times its longest silence so far.
        @WithDefault("10")
        double stallFactor();

        /// And for so long at least.
        @WithDefault("60s")
        Duration stallAfter();

        /// A loss is a spike from this robust z-score on.
        @WithDefault("20")
        double spikeScore();

        /// Against so many losses before it.
        @WithDefault("200")
        int spikeWindow();

        /// Such as `test_accuracy<0.5`.
        Optional<List<String>> thresholds();

        /// No more than so many wait to be sent.
        @WithDefault("1000")
        int maxPending();

        /// One that is not taken is sent again for so long.
        @WithDefault("1h")
        Duration retryFor();
    }
}
