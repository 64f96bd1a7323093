package io.trainyard.dashboard;

import io.trainyard.Patience;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.JobPartitioner;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/// Writes to the topics as workers do.
final class EventPublisher implements AutoCloseable {
    private final KafkaProducer<String, byte[]> producer;

    private final String prefix;

    /// @param prefix of the topics' names
    EventPublisher(String kafka, String prefix) {
        this.prefix = prefix;
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka,
                        ProducerConfig.PARTITIONER_CLASS_CONFIG,
                        JobPartitioner.class,
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        1 << 26,
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        1L << 27,
                        ProducerConfig.COMPRESSION_TYPE_CONFIG,
                        "lz4"),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    void send(TrainingEvent... events) throws Exception {
        for (TrainingEvent event : events) {
            send(Topic.of(event), RecordKey.of(event), EventJson.write(event, Instant.now()));
        }
    }

    void send(WorkerStatus status) throws Exception {
        send(Topic.WORKERS, status.worker(), EventJson.write(status));
    }

    /// As `submit` does.
    void send(JobSpec job) throws Exception {
        send(Topic.COMMANDS_NORMAL, job.id(), JobJson.write(job).getBytes(StandardCharsets.UTF_8));
    }

    /// Dead-letters the first command on a topic as unreadable, as a worker does.
    void reject(String job, String command, String reason) throws Exception {
        byte[] body = command.getBytes(StandardCharsets.UTF_8);
        send(Topic.COMMANDS_HIGH, job, body);
        Headers headers = new RecordHeaders()
                .add(DeadLetter.REASON, reason.getBytes(StandardCharsets.UTF_8))
                .add(DeadLetter.SOURCE_TOPIC, Topic.COMMANDS_HIGH.name(prefix).getBytes(StandardCharsets.UTF_8))
                .add(DeadLetter.SOURCE_PARTITION, "0".getBytes(StandardCharsets.UTF_8))
                .add(DeadLetter.SOURCE_OFFSET, "0".getBytes(StandardCharsets.UTF_8));
        var _ = Patience.get(
                producer.send(new ProducerRecord<>(Topic.DEAD_LETTER.name(prefix), null, job, body, headers)));
    }

    void sendText(Topic topic, String text) throws Exception {
        sendText(topic, "anyone", text);
    }

    void sendText(Topic topic, String key, String text) throws Exception {
        send(topic, key, text.getBytes(StandardCharsets.UTF_8));
    }

    private void send(Topic topic, String key, byte[] body) throws Exception {
        var _ = Patience.get(producer.send(new ProducerRecord<>(topic.name(prefix), key, body)));
    }

    @Override
    public void close() {
        producer.close();
    }
}
