package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Patience;
import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.broker.TestBroker;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who is in a share group, and for how long.
class MembersTest {
    /// Longer than the five minutes after which Kafka by default puts out a member that does not poll.
    private static final Duration BUSY = Duration.ofMinutes(6);

    @Test
    void aWorkerThatFindsItsGroupFullSaysSoAndComesInWhenThereIsRoom(@TempDir Path directory) {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(Patience.LIMIT));
        settings.put("group.share.max.size", "1");
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, "unused.", settings);
                Fleet fleet = new Fleet(broker.address(), Patience.LIMIT);
                LogRecords log = LogRecords.of(ClaimLoop.class)) {
            List<KafkaShareConsumer<byte[], byte[]>> strangers = join(fleet, 1);
            FleetWorker _ = fleet.start("late", fleet.runner("late"));
            Patience.await("a word about it")
                    .until(() -> log.warnings().stream()
                            .anyMatch(entry -> entry.getParameters() != null
                                    && String.valueOf(entry.getParameters()[1]).contains("maximum")));
            fleet.submit("patient");
            strangers.forEach(KafkaShareConsumer::close);
            assertThat(fleet.eventsUntilFinished(1)).isNotEmpty();
        }
    }

    /// Kafka's default is 200.
    @Test
    @Campaign
    void theWorkerAfterTwoHundredOthersIsServed(@TempDir Path directory) {
        try (EmbeddedBroker broker =
                        EmbeddedBroker.start(directory, 0, "unused.", TestBroker.settings(Patience.LIMIT));
                Fleet fleet = new Fleet(broker.address(), Patience.LIMIT)) {
            List<KafkaShareConsumer<byte[], byte[]>> others = join(fleet, 200);
            FleetWorker _ = fleet.start("last", fleet.runner("last"));
            fleet.submit("job");
            assertThat(fleet.eventsUntilFinished(1)).contains(claimed("job", 1, "last"));
            others.forEach(other -> other.close(Duration.ZERO));
        }
    }

    @Test
    @Campaign
    void aWorkerThatIsBusyForLongStaysAMember() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (Fleet fleet = new Fleet()) {
            FleetWorker _ = fleet.start("busy", fleet.runner("busy", () -> done.getCount() == 0));
            fleet.submit("long");
            assertThat(fleet.events(events -> events.contains(claimed("long", 1, "busy"))))
                    .isNotEmpty();
            Map<String, String> before = members(fleet);
            Thread.sleep(BUSY.toMillis()); // nothing else shows that time does nothing
            assertThat(members(fleet)).hasSize(3).isEqualTo(before);
            done.countDown();
            fleet.submit("next");
            assertThat(fleet.eventsUntilFinished(2)).contains(claimed("next", 1, "busy"));
        }
    }

    /// Members of the group of commands of normal priority that are no workers: they ask for what is on another topic.
    private static List<KafkaShareConsumer<byte[], byte[]>> join(Fleet fleet, int count) {
        List<KafkaShareConsumer<byte[], byte[]>> joined = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            KafkaShareConsumer<byte[], byte[]> member = new KafkaShareConsumer<>(
                    Map.of(
                            "bootstrap.servers",
                            fleet.kafka,
                            "group.id",
                            Topic.COMMANDS_NORMAL.claimGroup(fleet.prefix),
                            "max.poll.interval.ms",
                            Integer.MAX_VALUE),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
            member.subscribe(List.of(Topic.COMMANDS_LOW.name(fleet.prefix)));
            joined.add(member);
        }
        try (Admin admin = fleet.brokers.admin(Patience.LIMIT)) {
            String group = Topic.COMMANDS_NORMAL.claimGroup(fleet.prefix);
            Patience.await("all members").ignoreExceptions().until(() -> {
                joined.forEach(member -> member.poll(Duration.ZERO));
                return TopicAdmin.await(
                                fleet.brokers,
                                admin.describeShareGroups(List.of(group)).all(),
                                Patience.LIMIT)
                        .values()
                        .stream()
                        .allMatch(description -> description.members().size() == count);
            });
        }
        return joined;
    }

    /// Who is in the groups of commands that need no certain device: names by group.
    private static Map<String, String> members(Fleet fleet) {
        Map<String, String> found = new HashMap<>();
        List<String> groups = List.of(
                Topic.COMMANDS_HIGH.claimGroup(fleet.prefix),
                Topic.COMMANDS_NORMAL.claimGroup(fleet.prefix),
                Topic.COMMANDS_LOW.claimGroup(fleet.prefix));
        try (Admin admin = fleet.brokers.admin(Patience.LIMIT)) {
            TopicAdmin.await(fleet.brokers, admin.describeShareGroups(groups).all(), Patience.LIMIT)
                    .forEach((group, description) ->
                            description.members().forEach(member -> found.put(group, member.consumerId())));
        }
        return found;
    }
}
