package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.finished;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.kubernetes.ApiServerException;
import io.trainyard.kubernetes.PodMark;
import io.trainyard.metrics.Scrape;
import io.trainyard.share.ProjectRules;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The marks of pods, derived from the records of their workers.
class PodWatchTest {
    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final SourceStatus sources = new SourceStatus();
    private final JobHistory history = new JobHistory(store, sources, new JobHistory.Limits(10, 10, 10_000, 3_600_000));
    private final Map<String, PodMark> pods = new TreeMap<>();
    private final long now = System.currentTimeMillis();
    private boolean away;

    private final PodWatch watch = new PodWatch(history, sources, (pod, mark) -> {
        if (away) {
            throw new ApiServerException("it is away", new IOException());
        }
        pods.put(pod, mark);
        return true;
    });

    @AfterEach
    void close() {
        store.close();
    }

    private void beat(String worker, @Nullable String job, @Nullable String problem, long millis) {
        history.apply(
                WorkerStatusBuilder.of(worker, "cpu")
                        .job(job, 1)
                        .problem(problem)
                        .build(),
                100,
                millis);
    }

    @Test
    void podsAreMarkedAsTheirWorkersAre() {
        beat("busy", "a", null, now);
        beat("idle", null, null, now);
        beat("refusing", null, "the store cannot be used", now);
        beat("troubled", "b", "the store cannot be used", now);
        beat("silent", null, null, now - 60_000);
        watch.look();
        assertThat(pods)
                .containsOnly(
                        Map.entry("busy", PodMark.NEWLY_BUSY),
                        Map.entry("idle", PodMark.IDLE),
                        Map.entry("refusing", PodMark.REFUSING),
                        Map.entry("troubled", PodMark.NEWLY_BUSY));
    }

    @Test
    void aClaimMarksAPodBeforeTheNextHeartbeat() {
        beat("w", null, null, now - 1500);
        beat("v", null, null, now - 1500);
        watch.look();
        assertThat(pods).containsOnly(Map.entry("w", PodMark.IDLE), Map.entry("v", PodMark.IDLE));
        var _ = history.apply(List.of(new EventRecord(new Claimed("a", 1, "w", "cpu"), now - 1000)), Map.of());
        watch.look();
        assertThat(pods).containsOnly(Map.entry("w", PodMark.NEWLY_BUSY), Map.entry("v", PodMark.IDLE));
    }

    @Test
    void aClaimThatIsLongOverMarksNothing() {
        beat("w", null, null, now);
        var _ = history.apply(
                List.of(
                        new EventRecord(new Claimed("a", 1, "w", "cpu"), now - 5000),
                        new EventRecord(finished("a", 1, 10), now - 4000)),
                Map.of());
        watch.look();
        assertThat(pods).containsOnly(Map.entry("w", PodMark.IDLE));
    }

    @Test
    void publishesTheNumberOfUnmarkedPods() {
        var registry = Scrape.registry();
        FleetGauges gauges =
                new FleetGauges(registry, history, sources, new ProjectQuotas(history, ProjectRules.NONE), "t.");
        gauges.look();
        beat("w", "a", null, now);
        beat("v", null, null, now);
        away = true;
        watch.look();
        assertThat(Scrape.of(registry).value("trainyard_pods_unmarked")).isEqualTo(2);
    }
}
