package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A worker that can fetch commands but not publish must not use up their deliveries.
@Slow
class ClaimGateTest {
    private static final Duration WHILE = Duration.ofSeconds(6);

    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    private void assertFirstDelivery(String job) {
        assertThat(new JobFolder(fleet.store, job).link(1))
                .hasValueSatisfying(link -> assertThat(link)
                        .isInstanceOfSatisfying(
                                ChainLink.Owner.class,
                                owner -> assertThat(owner.delivery()).isEqualTo(1)));
        assertThat(new JobFolder(fleet.store, job).link(2)).containsInstanceOf(ChainLink.End.class);
    }

    /// Blocks ownership records, like a partition with too few replicas or without a leader.
    private final class StuckOwnership implements Outbox {
        final AtomicReference<CompletableFuture<Void>> opened = new AtomicReference<>(CompletableFuture.allOf());

        @Override
        public CompletableFuture<Void> send(
                String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
            return topic.equals(Topic.OWNERSHIP.name(fleet.prefix))
                    ? opened.get().thenCompose(_ -> fleet.outbox.send(topic, key, value, headers))
                    : fleet.outbox.send(topic, key, value, headers);
        }
    }

    @Test
    void aWorkerWhoseOwnershipIsNotAcknowledgedClaimsNothing() throws Exception {
        StuckOwnership outbox = new StuckOwnership();
        CompletableFuture<Void> open = new CompletableFuture<>();
        outbox.opened.set(open);
        fleet.submit("job");
        fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), outbox), fleet.runner("w"));
        Thread.sleep(WHILE.toMillis());
        assertThat(new JobFolder(fleet.store, "job").chain().last()).isZero();
        open.complete(null);
        fleet.eventsUntilFinished(1);
        assertFirstDelivery("job");
    }

    /// The brokers stop acknowledging records after the worker has fetched the command.
    @Test
    void aWorkerHoldsItsCommandUntilItsOwnershipIsAcknowledged() throws Exception {
        StuckOwnership outbox = new StuckOwnership();
        FleetWorker worker = fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), outbox), fleet.runner("w"));
        fleet.submit("before");
        fleet.eventsUntilFinished(1);
        fleet.lockClaimsFor(Duration.ofSeconds(8));
        CompletableFuture<Void> open = new CompletableFuture<>();
        outbox.opened.set(open);
        fleet.submit("job");
        Patience.await("the claim to be held").until(() -> worker.activity.trouble() != null);
        Thread.sleep(Duration.ofSeconds(4)); // the lock would have expired
        open.complete(null);
        fleet.eventsUntilFinished(2);
        assertFirstDelivery("job");
    }
}
