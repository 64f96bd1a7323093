package io.trainyard.dashboard;

import io.smallrye.common.annotation.Blocking;
import io.trainyard.event.EventJson;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/// Reads the topics from their beginning into the history. A record that cannot be read is logged and
/// skipped: anyone can write to a topic, and one bad record must not blind the dashboard.
@ApplicationScoped
public class TopicConsumer {
    private static final Logger LOG = Logger.getLogger(TopicConsumer.class);
    /// Of a reason in the log; the record itself stays in its topic.
    private static final int MAX_REASON = 300;

    private final JobHistory history;
    private final Map<String, Topic> topics;

    TopicConsumer(JobHistory history, @ConfigProperty(name = "trainyard.topics.prefix") String prefix) {
        this.history = history;
        topics = Topic.byName(prefix);
    }

    @Incoming("dashboard")
    @Blocking
    void read(ConsumerRecords<String, byte[]> records) {
        records.forEach(this::read);
    }

    /// Kafka's time of a record is when it was sent.
    private void read(ConsumerRecord<String, byte[]> entry) {
        Topic topic = topics.get(entry.topic());
        if (topic == null || entry.value() == null) {
            return; // null: a tombstone of a compacted topic, nothing to tell
        }
        try {
            if (topic == Topic.WORKERS) {
                history.apply(EventJson.readStatus(entry.value()), entry.timestamp());
            } else {
                new TopicRecord(topic, entry).news().ifPresent(history::apply);
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
