package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
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
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The members of a share group, and how long they stay.
@Slow
class MembersTest {
    @Test
    void aWorkerReportsAFullGroupAndJoinsLater(@TempDir Path directory) {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(TestBroker.NEVER));
        settings.put("group.share.max.size", "1");
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, "unused.", settings);
                Fleet fleet = new Fleet(broker.address());
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

    /// Joins the normal-priority share group with members that are not workers: they subscribe to another
    /// topic.
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
}
