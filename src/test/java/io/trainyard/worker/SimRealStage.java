package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.TopicAdmin;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// A topic and a share group of the real broker, for a script. Its members fetch as [ShareClaims] does.
final class SimRealStage implements SimConformanceTest.Stage {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int FETCH_MILLIS = 50;

    private static final Duration SETTLED = Duration.ofMillis(500);

    /// Fetches that must come back empty before the topic counts as empty: the first may be too early.
    private static final int ANSWERS = 3;

    private final String kafka;
    private final String topic;
    private final String group;
    private final Duration lock;
    private final Runnable restart;
    private final ProducerOutbox outbox;
    private final Member[] members = new Member[2];

    private static final class Member {
        final KafkaShareConsumer<byte[], byte[]> consumer;

        @Nullable
        ConsumerRecord<byte[], byte[]> held;

        Member(KafkaShareConsumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
        }

        /// The number of fetches that the broker has answered.
        double answers() {
            return consumer.metrics().entrySet().stream()
                    .filter(metric -> metric.getKey().name().equals("fetch-total"))
                    .mapToDouble(metric -> (double) metric.getValue().metricValue())
                    .sum();
        }
    }

    /// @param topic a topic that does not exist yet
    SimRealStage(String kafka, String topic, Duration lock) {
        this(kafka, topic, lock, () -> {
            throw new IllegalStateException("others use this broker, too");
        });
    }

    /// @param restart restarts the broker under the same address
    SimRealStage(String kafka, String topic, Duration lock, Runnable restart) {
        this.restart = restart;
        this.kafka = kafka;
        this.topic = topic;
        this.group = topic + ".members";
        this.lock = lock;
        create();
        outbox = new ProducerOutbox(kafka, (int) Patience.LIMIT.toMillis());
        for (int i = 0; i < members.length; i++) {
            members[i] = join();
        }
    }

    private void create() {
        try (Admin admin = Brokers.at(kafka).admin(Patience.LIMIT)) {
            var created = admin.createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty())));
            TopicAdmin.await(Brokers.at(kafka), created.all(), Patience.LIMIT);
            var settings = admin.incrementalAlterConfigs(Map.of(
                    new ConfigResource(ConfigResource.Type.GROUP, group),
                    List.of(
                            set("share.auto.offset.reset", "earliest"),
                            set("share.record.lock.duration.ms", Long.toString(lock.toMillis())))));
            TopicAdmin.await(Brokers.at(kafka), settings.all(), Patience.LIMIT);
        }
    }

    private static AlterConfigOp set(String name, String value) {
        return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    }

    private Member join() {
        KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        kafka,
                        "group.id",
                        group,
                        "share.acknowledgement.mode",
                        "explicit",
                        "share.acquire.mode",
                        "record_limit",
                        "max.poll.records",
                        1,
                        "fetch.max.wait.ms",
                        FETCH_MILLIS),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        return new Member(consumer);
    }

    @Override
    public void publish(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        assertThat(outbox.send(topic, bytes, bytes, new RecordHeaders())).succeedsWithin(Patience.LIMIT);
    }

    /// Returns empty only after a fetch that was sent in this call.
    @Override
    public String next(int number) {
        Member member = members[number];
        double before = member.answers();
        while (member.answers() < before + ANSWERS) {
            ConsumerRecords<byte[], byte[]> records = member.consumer.poll(POLL);
            if (!records.isEmpty()) {
                ConsumerRecord<byte[], byte[]> record = records.iterator().next();
                member.held = record;
                return SimStage.text(record);
            }
        }
        return "";
    }

    @Override
    public boolean accept(int number) {
        Member member = members[number];
        ConsumerRecord<byte[], byte[]> held = member.held;
        if (held == null) {
            return false;
        }
        try {
            member.consumer.acknowledge(held, AcknowledgeType.ACCEPT);
        } catch (IllegalStateException e) { // the client has already noticed that the lock has expired
            return false;
        }
        Map<TopicIdPartition, Optional<KafkaException>> answer = member.consumer.commitSync(Patience.LIMIT);
        return !answer.isEmpty() && answer.values().stream().allMatch(Optional::isEmpty);
    }

    @Override
    public void lapse() {
        sleep(lock.plusMillis(400));
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void settle() {
        sleep(SETTLED);
    }

    @Override
    public void restart() {
        restart.run();
    }

    @Override
    public void reopen(int number) {
        members[number].consumer.close();
        members[number] = join();
    }

    @Override
    public void close() {
        for (Member member : members) {
            member.consumer.close();
        }
        outbox.close();
    }
}
