package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.finished;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.EventJson;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Recovery of commands that the share group no longer delivers.
@Slow
class LostCommandsTest {
    private static final Topic TOPIC = Topic.COMMANDS_NORMAL;

    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    /// A member of the group acknowledges `count` records with one type.
    private void acknowledge(AcknowledgeType type, int count) {
        ShareGroups.configure(fleet.brokers, fleet.prefix, Patience.LIMIT);
        try (var member = fleet.brokers.shareConsumer(Map.of(
                "group.id",
                TOPIC.claimGroup(fleet.prefix),
                "share.acknowledgement.mode",
                "explicit",
                "share.acquire.mode",
                "record_limit",
                "max.poll.records",
                1))) {
            member.subscribe(List.of(TOPIC.name(fleet.prefix)));
            for (int done = 0; done < count; ) {
                for (var command : member.poll(Duration.ofMillis(200))) {
                    member.acknowledge(command, type);
                    member.commitSync();
                    done++;
                }
            }
        }
    }

    /// The state after a worker that could fetch but not publish: attempts in the store, no ownership, no dead
    /// letter.
    @Test
    void republishesACommandWithoutDeliveries() throws Exception {
        fleet.submit("lost");
        acknowledge(AcknowledgeType.RELEASE, 10);
        JobFolder folder = new JobFolder(fleet.store, "lost");
        for (int attempt = 1; attempt <= 5; attempt++) {
            folder.append(attempt - 1, ChainLink.Owner.of("gone", TOPIC.name(fleet.prefix) + "-0@0", attempt));
        }
        fleet.submit("behind");
        FleetWorker worker = fleet.start("w", fleet.runner("w"));
        fleet.eventsUntilFinished(1);
        assertThat(folder.chain().last()).isEqualTo(5);

        worker.sweep.sweep();
        fleet.eventsUntilFinished(2);
        assertThat(folder.link(6)).containsInstanceOf(ChainLink.Owner.class);
        assertThat(folder.link(7)).containsInstanceOf(ChainLink.End.class);
        assertThat(worker.activity.totals().lostCommands()).isEqualTo(1);
    }

    @Test
    void ignoresCommandsWithAResult() throws Exception {
        fleet.submit("waits"); // published again below, as by a busy worker
        acknowledge(AcknowledgeType.ACCEPT, 1);
        fleet.submit("ended");
        new JobFolder(fleet.store, "ended")
                .append(
                        0,
                        new ChainLink.End(new String(
                                EventJson.write(finished("ended", 1, 1), Instant.now()), StandardCharsets.UTF_8)));
        fleet.submit("dead", "{}".getBytes(StandardCharsets.UTF_8));
        fleet.submit("runs");
        FleetWorker worker = fleet.start(
                new FleetWorker.Setup("w", Set.of("cpu"), fleet.outbox), fleet.runner("w", new AtomicBoolean()::get));
        Patience.await("the job to run").until(() -> !worker.activity.jobs().isEmpty());
        fleet.submit("waits");

        worker.sweep.sweep();
        assertThat(worker.activity.totals().lostCommands()).isZero();
    }
}
