package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.contract.RecordCheck;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A fleet that produces every kind of record conforms to the contract (docs/contract).
@Slow
class ContractRunTest {
    private static final String JOB = """
            {"id": "%s", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 20}, {"type": "linear", "out": 20},
              {"type": "linear", "out": 10}]}, "dataset": "shapes28",
             "device": "reference", "batchSize": 500, %s}""";

    private final Fleet fleet = new Fleet();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void everyRecordConformsToTheContract() throws IOException {
        FleetWorker worker = fleet.start("w", fleet.trainer(folder, "w"));

        submit("good", "\"epochs\": 2, \"stopWhen\": {\"testAccuracyAtLeast\": 1e-9}, \"keepBest\": true");
        fleet.submit("bad", "epochs: 3".getBytes(StandardCharsets.UTF_8));
        fleet.submit(
                "elsewhere",
                Fleet.job("elsewhere").replace("}", ", \"device\": \"cuda\"}").getBytes(StandardCharsets.UTF_8));
        submit("fails", "\"epochs\": 9, \"optimizer\": {\"type\": \"sgd\", \"learningRate\": 999}");
        await(Finished.class, "good", 1);
        await(Failed.class, "fails", 1);
        submit("test", "\"kind\": \"evaluate\", \"initFrom\": \"good\"");
        submit("from", "\"epochs\": 1, \"initFrom\": \"good\"");
        submit("grid", "\"epochs\": 1, \"sweep\": {\"seed\": [1, 2]}");
        await(Expanded.class, "grid", 1);
        submit("long", "\"epochs\": 100000");
        await(Started.class, "long", 1);
        fleet.desiredState("long", DesiredState.PAUSE);
        await(Paused.class, "long", 1);
        fleet.desiredState("long", DesiredState.RUN);
        await(Resumed.class, "long", 1);
        await(Started.class, "long", 3);
        fleet.desiredState("long", DesiredState.CANCEL);
        await(Cancelled.class, "long", 3);
        submit("left", "\"epochs\": 100000");
        await(Started.class, "left", 1);
        worker.close();
        await(Released.class, "left", 1);

        RecordCheck check = new RecordCheck();
        Map<String, Topic> topics = Topic.byName(fleet.prefix);
        Set<String> output = new TreeSet<>();
        for (ConsumerRecord<byte[], byte[]> record : all(topics.keySet())) {
            Topic topic = Objects.requireNonNull(topics.get(record.topic()));
            String key = new String(record.key(), StandardCharsets.UTF_8);
            output.add(RecordCheck.type(record));
            if (!key.equals("bad") || topic == Topic.DEAD_LETTER) {
                assertThat(check.mistakes(topic, record))
                        .as("%s: %s", topic, new String(record.value(), StandardCharsets.UTF_8))
                        .isEmpty();
            }
        }
        Set<String> expected = new TreeSet<>(RecordCheck.types());
        expected.remove(CloudEvents.METRIC); // only users publish metrics
        assertThat(output).containsExactlyElementsOf(expected);
    }

    private void submit(String id, String fields) {
        fleet.submit(id, JOB.formatted(id, fields).getBytes(StandardCharsets.UTF_8));
    }

    private void await(Class<? extends TrainingEvent> type, String job, int attempt) {
        var _ = fleet.events(events -> events.stream()
                .anyMatch(event -> type.isInstance(event) && event.job().equals(job) && event.attempt() == attempt));
    }

    /// All records on the topics, without tombstones.
    private List<ConsumerRecord<byte[], byte[]>> all(Set<String> topics) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        List<TopicPartition> partitions =
                topics.stream().map(topic -> new TopicPartition(topic, 0)).toList();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", fleet.kafka), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Patience.await("the ends of all topics").until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                    if (record.value() != null) {
                        all.add(record);
                    }
                });
                return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
            });
        }
        return all;
    }
}
