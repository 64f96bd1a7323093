package io.trainyard.dashboard.rest;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.trainyard.Patience;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.LiveUpdate;
import io.trainyard.dashboard.SourceStatus;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LiveUpdatesTest {
    private static final Duration PERIOD = Duration.ofMillis(5);

    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final JobHistory history =
            new JobHistory(store, new SourceStatus(), new JobHistory.Limits(10, 10, 10_000, 60_000));
    private final AssertSubscriber<LiveUpdate> client = AssertSubscriber.create(0);

    @AfterEach
    void leave() {
        client.cancel();
        store.close();
    }

    private LiveUpdate next() {
        int seen = client.getItems().size();
        client.request(1);
        Patience.await("the next update").until(() -> client.getItems().size() > seen);
        return client.getItems().get(seen);
    }

    @Test
    void aSlowClientReceivesOnlyTheNewestState() {
        LiveUpdates.of(history, 0, PERIOD, Duration.ofHours(1)).subscribe().withSubscriber(client);
        history.apply(List.of(new EventRecord(claimed("a"), 1)), Map.of());
        assertThat(next().snapshot()).isTrue();

        for (int step = 1; step <= 1000; step++) {
            history.apply(List.of(new EventRecord(losses("a", 1, 0, step, 1), 1)), Map.of());
        }
        LiveUpdate update = next();

        assertThat(update.snapshot()).isFalse();
        assertThat(update.jobs()).extracting(JobSummary::step).containsExactly(1000L);
        client.request(1000);
        history.apply(List.of(new EventRecord(claimed("b"), 1)), Map.of());
        Patience.await("the change")
                .untilAsserted(() -> assertThat(client.getItems())
                        .hasSize(3)
                        .last()
                        .extracting(LiveUpdate::jobs)
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(JobSummary.class))
                        .extracting(JobSummary::job)
                        .containsExactly("b"));
    }

    @Test
    void sendsAnEmptySnapshotIfNothingChanges() {
        LiveUpdates.of(history, 0, PERIOD, PERIOD).subscribe().withSubscriber(client);
        assertThat(next().snapshot()).isTrue();
        assertThat(next().jobs()).isEmpty();
    }

    @Test
    void aReconnectedClientReceivesMissedChanges() {
        history.apply(List.of(new EventRecord(claimed("a"), 1)), Map.of());
        LiveUpdates.of(history, 0, PERIOD, Duration.ofHours(1)).subscribe().withSubscriber(client);
        long known = next().version();
        client.cancel();
        history.apply(List.of(new EventRecord(claimed("b"), 1)), Map.of());

        AssertSubscriber<LiveUpdate> again = AssertSubscriber.create(1);
        LiveUpdates.of(history, known, PERIOD, Duration.ofHours(1)).subscribe().withSubscriber(again);
        Patience.await("what is new").until(() -> !again.getItems().isEmpty());
        assertThat(again.getItems().getFirst().snapshot()).isFalse();
        assertThat(again.getItems().getFirst().jobs())
                .extracting(JobSummary::job)
                .containsExactly("b");
        again.cancel();
    }
}
