package io.trainyard.worker;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The waiting commands. Each is delivered to one worker at a time, under a lock. For one thread. After an
/// exception only [#close] may be called.
interface CommandQueue extends AutoCloseable {
    /// Polls for a command, for a short time, and holds it until [#accept].
    ///
    /// @throws org.apache.kafka.common.KafkaException if the brokers refuse
    Optional<ConsumerRecord<byte[], byte[]>> next();

    /// A prefetched command: Kafka's client goes on fetching in the background after a poll without result. The
    /// command is held until [#accept], and a busy worker must release it.
    ///
    /// @throws org.apache.kafka.common.KafkaException if the brokers refuse
    Optional<ConsumerRecord<byte[], byte[]>> prefetched();

    /// Accepts the current command. True means that the brokers confirmed in time that this worker still held
    /// the lock. Otherwise the command may be delivered again, or not.
    boolean accept();

    /// Extends the lock of the current command without using up a delivery.
    boolean renew();

    /// The number of deliveries of the current command, including this one; 0 if it does not come from a share
    /// group.
    int deliveries();

    @Override
    void close();
}
