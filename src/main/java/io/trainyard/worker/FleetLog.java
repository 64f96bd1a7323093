package io.trainyard.worker;

import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The topics that every worker reads: ownership and control from the beginning, heartbeats from now on,
/// high-priority commands from the first that may still wait. Each partition is in order. For one thread.
interface FleetLog extends AutoCloseable {
    List<Topic> HIGH_PRIORITY = Priority.HIGH.topicsOf(Priority.NAMED_KINDS);

    /// The state of a share group.
    ///
    /// @param start the offset before which nothing is delivered
    /// @param waiting the number of unacknowledged commands, including those that are being claimed
    record Backlog(long start, long waiting) {}

    /// The records that arrive within a short time.
    List<ConsumerRecord<String, byte[]>> poll(Duration time);

    /// Whether everything that existed at the beginning has been read.
    boolean isCaughtUp();

    void hold(Topic topic, boolean held);

    /// The state of the share groups of the command topics that are read.
    ///
    /// @throws org.apache.kafka.common.KafkaException if the brokers refuse
    /// @throws io.trainyard.topics.KafkaUnreachableException if they do not answer in time
    Map<Topic, Backlog> backlog();

    @Override
    void close();
}
