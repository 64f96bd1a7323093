package io.trainyard.topics;

import java.util.List;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;

/// The brokers do not answer in time, or refuse the connection or an operation.
public final class KafkaUnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Brokers brokers;

    public KafkaUnreachableException(Brokers brokers, Throwable cause) {
        super(sentence(brokers, cause), cause);
        this.brokers = brokers;
    }

    KafkaUnreachableException(Brokers brokers, String speech) {
        super("Kafka at %s: %s".formatted(brokers.address(), speech));
        this.brokers = brokers;
    }

    Brokers brokers() {
        return brokers;
    }

    private static String sentence(Brokers brokers, Throwable cause) {
        List<String> reasons = ClientFile.reasons(cause);
        String why = reasons.isEmpty() ? cause.getClass().getSimpleName() : String.join(": ", reasons);
        String file = brokers.file().map(ClientFile::toString).orElse("a file that is given with --kafka-config FILE");
        String template = switch (cause) {
            case AuthorizationException _ ->
                "Kafka at %s does not allow it: %s; docs/how-to/secure.md lists the required ACLs, and ./trainyard acls prints them";
            case SslAuthenticationException _ ->
                "Kafka at %s and this process cannot agree on TLS: %s; check ssl.truststore.location in " + file
                        + ", and whether the certificate is for that host";
            case AuthenticationException _ ->
                "Kafka at %s rejects the credentials: %s; check security.protocol, sasl.mechanism and sasl.jaas.config in "
                        + file;
            case LoginException _ ->
                "no token available for Kafka at %s: %s; check sasl.oauthbearer.token.endpoint.url, and in sasl.jaas.config the client and its trust store (ssl.truststore.location=...), in "
                        + file;
            default ->
                "Kafka at %s does not answer: %s; is it running (./trainyard broker), and is the address right (--kafka HOST:PORT)?";
        };
        return template.formatted(
                brokers.address(), brokers.file().map(given -> given.hide(why)).orElse(why));
    }
}
