package io.trainyard.dashboard;

import io.smallrye.common.annotation.Blocking;
import io.trainyard.event.EventJson;
import io.trainyard.topics.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/// Reads the events' topics from their beginning into the history. A record that cannot be read is logged and
/// skipped: anyone can write to a topic, and one bad record must not blind the dashboard.
@ApplicationScoped
public class EventConsumer {
    private static final Logger LOG = Logger.getLogger(EventConsumer.class);
    /// Of a reason in the log; the record itself stays in its topic.
    private static final int MAX_REASON = 300;

    private final JobHistory history;
    private final String workersTopic;

    EventConsumer(JobHistory history, @ConfigProperty(name = "trainyard.topics.prefix") String prefix) {
        this.history = history;
        workersTopic = Topic.WORKERS.name(prefix);
    }

    @Incoming("dashboard")
    @Blocking
    void read(ConsumerRecords<byte[], byte[]> records) {
        records.forEach(this::read);
    }

    /// Kafka's time of a record is when it was sent.
    private void read(ConsumerRecord<byte[], byte[]> entry) {
        if (entry.value() == null) {
            return; // a tombstone of a compacted topic: nothing to tell
        }
        try {
            if (entry.topic().equals(workersTopic)) {
                history.apply(EventJson.readStatus(entry.value()), entry.timestamp());
            } else {
                history.apply(EventJson.readEvent(entry.value()), entry.timestamp());
            }
        } catch (IOException | RuntimeException e) {
            LOG.warnf(
                    "skipped an unreadable record: topic=%s partition=%d offset=%d reason=%s",
                    entry.topic(), entry.partition(), entry.offset(), firstLine(e));
        }
    }

    private static String firstLine(Exception e) {
        String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return e.getClass().getSimpleName() + ": "
                + (line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…");
    }
}
