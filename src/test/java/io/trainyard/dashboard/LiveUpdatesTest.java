package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.trainyard.Patience;
import io.trainyard.event.JobNews.Happened;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LiveUpdatesTest {
    private static final Duration PERIOD = Duration.ofMillis(5);

    private final JobHistory history = new JobHistory(new JobHistory.Limits(10, 100, 10, 10_000, 60_000));
    private final AssertSubscriber<LiveUpdate> client = AssertSubscriber.create(0);

    @AfterEach
    void leave() {
        client.cancel();
    }

    private LiveUpdate next() {
        int seen = client.getItems().size();
        client.request(1);
        Patience.await("the next update").until(() -> client.getItems().size() > seen);
        return client.getItems().get(seen);
    }

    @Test
    void aSlowClientIsGivenTheNewestStateAndNothingIsQueuedForIt() {
        LiveUpdates.of(history, PERIOD, Duration.ofHours(1)).subscribe().withSubscriber(client);
        history.apply(new Happened(claimed("a"), 1));
        assertThat(next().snapshot()).isTrue();

        for (int step = 1; step <= 1000; step++) {
            history.apply(new Happened(losses("a", 1, 0, step, 1), 1));
        }
        LiveUpdate update = next();

        assertThat(update.snapshot()).isFalse();
        assertThat(update.jobs()).extracting(JobSummary::step).containsExactly(1000L);
        client.request(1000);
        history.apply(new Happened(claimed("b"), 1));
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
    void saysNowAndThenThatNothingChanges() {
        LiveUpdates.of(history, PERIOD, PERIOD).subscribe().withSubscriber(client);
        assertThat(next().snapshot()).isTrue();
        assertThat(next().jobs()).isEmpty();
    }
}
