package io.trainyard.topics;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;

/// A fleet, as a client of its brokers sees it.
///
/// @param brokers where they are, and how one connects to them
/// @param prefix what the topics' names begin with
/// @param timeout the bound on one answer of the brokers
public record Cluster(Brokers brokers, String prefix, Duration timeout) {
    /// `host:port` of a broker, or several with commas between them.
    public String address() {
        return brokers.address();
    }

    /// Calls a Kafka client; that the brokers do not answer, or refuse, becomes a sentence.
    ///
    /// @throws KafkaUnreachableException if they do not
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
