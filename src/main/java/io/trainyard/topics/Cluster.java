package io.trainyard.topics;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;

/// The brokers of a fleet, as a client of them sees them.
///
/// @param address `host:port` of a broker, or several with commas between them
/// @param prefix what the topics' names begin with
/// @param timeout the bound on one answer of the brokers
public record Cluster(String address, String prefix, Duration timeout) {
    /// Calls a Kafka client; that the brokers do not answer, or cannot be found, becomes a sentence.
    ///
    /// @throws KafkaUnreachableException if they do not
    public <T> T reach(Supplier<T> call) {
        try {
            return call.get();
        } catch (InterruptException e) {
            throw e;
        } catch (RetriableException e) {
            throw new KafkaUnreachableException(address, e);
        } catch (KafkaException e) {
            if (e.getCause()
                    instanceof ConfigException unresolvable) { // the clients' way to say that no host has that name
                throw new KafkaUnreachableException(address, unresolvable);
            }
            throw e;
        }
    }
}
