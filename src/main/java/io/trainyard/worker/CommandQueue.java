package io.trainyard.worker;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The commands that wait, each handed to one worker at a time for a short while. Used by one thread. After an
/// exception it is good for nothing but [#close].
interface CommandQueue extends AutoCloseable {
    /// Asks for a command, for a short time, and holds it until [#accept].
    ///
    /// @throws org.apache.kafka.common.KafkaException if the brokers refuse
    Optional<ConsumerRecord<byte[], byte[]>> next();

    /// A command that was handed to this worker though it asks for none at present: Kafka's client goes on asking
    /// in the background until it is given one. It is held until [#accept], and does not belong here.
    ///
    /// @throws org.apache.kafka.common.KafkaException if the brokers refuse
    Optional<ConsumerRecord<byte[], byte[]>> stray();

    /// Says that the command at hand needs nobody else. True means that the brokers said in time that it was this
    /// worker's until now; else anybody may be handed it, or nobody.
    boolean accept();

    /// Keeps the command at hand for another lock's time, which uses up no delivery.
    ///
    /// @return whether it is this worker's still
    boolean renew();

    /// How often the command at hand has been delivered, this time included; 0: no share group delivers it.
    int deliveries();

    /// Gives back what is still held.
    @Override
    void close();
}
