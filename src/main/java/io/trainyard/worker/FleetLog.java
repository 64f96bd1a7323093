package io.trainyard.worker;

import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// What all workers of a fleet read: the topics of custody and of control from their beginning, the heartbeats from
/// now on, and the urgent commands from the first that may wait. Each partition comes in its order. Used by one thread.
interface FleetLog extends AutoCloseable {
    /// The topics of commands that are read.
    List<Topic> URGENT = Priority.HIGH.topicsOf(Priority.NAMED_KINDS);

    /// What a share group says of its topic.
    ///
    /// @param start before which it hands out nothing
    /// @param waiting how many commands are not dealt with; those that are being claimed count
    record Backlog(long start, long waiting) {}

    /// The records that have come, in a short time.
    List<ConsumerRecord<String, byte[]>> poll(Duration time);

    /// Whether all has been read that was there at the beginning.
    boolean isCaughtUp();

    /// Reads no more of a topic of commands for now, or goes on.
    void hold(Topic topic, boolean held);

    /// What the share groups say now of the topics of commands that are read.
    ///
    /// @throws org.apache.kafka.common.KafkaException if the brokers refuse
    /// @throws io.trainyard.topics.KafkaUnreachableException if they do not answer in time
    Map<Topic, Backlog> backlog();

    @Override
    void close();
}
