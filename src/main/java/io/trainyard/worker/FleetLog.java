package io.trainyard.worker;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// What all workers of a fleet read: the topics of custody and of control from their beginning, the heartbeats from
/// now on. Each partition comes in its order. Used by one thread.
interface FleetLog extends AutoCloseable {
    /// The records that have come, in a short time.
    List<ConsumerRecord<String, byte[]>> poll(Duration time);

    /// Whether all has been read that was there at the beginning.
    boolean isCaughtUp();

    @Override
    void close();
}
