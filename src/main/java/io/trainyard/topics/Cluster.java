package io.trainyard.topics;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;

/// A fleet from the view of a Kafka client.
public record Cluster(Brokers brokers, String prefix, Duration timeout) {
    public String address() {
        return brokers.address();
    }

    /// Calls a Kafka client and converts its connection errors.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer or refuse
    public <T> T reach(Supplier<T> call) {
        try {
            return call.get();
        } catch (InterruptException e) {
            throw e;
        } catch (RetriableException | AuthenticationException | AuthorizationException e) {
            throw new KafkaUnreachableException(brokers, e);
        }
    }
}
