package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.paused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.StatusRuntimeException;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TrainingEvent;
import io.trainyard.kubernetes.KedaClient;
import io.trainyard.spec.JobJson;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The demand that KEDA receives, derived from the jobs that the dashboard knows.
class DemandWatchTest {
    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final SourceStatus sources = new SourceStatus();
    private final JobHistory history = new JobHistory(store, sources, new JobHistory.Limits(10, 10, 10_000, 3_600_000));
    private DemandWatch watch;
    private KedaClient keda;

    @BeforeEach
    void start() throws Exception {
        watch = new DemandWatch(history, sources, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        watch.start();
        keda = new KedaClient("localhost", watch.port());
    }

    @AfterEach
    void close() {
        keda.close();
        watch.close();
        store.close();
    }

    private void take(JobRecord... jobRecord) {
        var _ = history.apply(List.of(jobRecord), Map.of());
    }

    private static JobRecord command(String job, String device) {
        byte[] json = """
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1, "device": "%s"}""".formatted(job, device).getBytes(StandardCharsets.UTF_8);
        return new Requested(job, JobJson.read(json), "t.commands.normal-0@0", 1);
    }

    private void publish(TrainingEvent... events) {
        take(Arrays.stream(events).map(event -> new EventRecord(event, 2)).toArray(JobRecord[]::new));
    }

    @Test
    void onlyWaitingAndRunningJobsNeedAWorker() throws Exception {
        sources.caughtUp();
        try (KedaClient.Stream stream = keda.stream("auto,cuda")) {
            assertThat(stream.next()).isFalse();
            take(command("a", "auto"), command("b", "cuda:1"), command("c", "cpu"));
            assertThat(stream.next()).isTrue();
            assertThat(keda.demand("auto,cuda")).isEqualTo(2);
            assertThat(keda.demand("cpu")).isOne();
            publish(claimed("a"), claimed("b"));
            assertThat(keda.demand("auto,cuda")).isEqualTo(2);
            publish(paused("a", 1, 10), finished("b", 1, 10));
            assertThat(stream.next()).isFalse();
            assertThat(keda.demand("cpu")).isOne();
        }
    }

    /// Before that, the store's content is from the last time that the topics were read.
    @Test
    void publishesNothingBeforeTheTopicsAreRead() throws Exception {
        take(command("a", "auto"));
        assertThatThrownBy(() -> keda.demand("auto")).isInstanceOf(StatusRuntimeException.class);
        try (KedaClient.Stream stream = keda.stream("auto")) {
            sources.caughtUp();
            assertThat(stream.next()).isTrue();
        }
    }
}
