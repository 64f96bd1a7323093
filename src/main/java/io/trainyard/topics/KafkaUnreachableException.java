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

    /// @param brokers the brokers of the failed call
    /// @param speech the protocol mismatch
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
                "Kafka at %s does not allow it: %s; docs/how-to/secure.md says which ACLs are needed, and ./trainyard acls prints them";
            case SslAuthenticationException _ ->
                "Kafka at %s and this process do not agree on TLS: %s; look at ssl.truststore.location in " + file
                        + ", and whether the certificate is for that host";
            case AuthenticationException _ ->
                "Kafka at %s does not let this process in: %s; look at security.protocol, sasl.mechanism and sasl.jaas.config in "
                        + file;
            case LoginException _ ->
                "no token is to be had for Kafka at %s: %s; look at sasl.oauthbearer.token.endpoint.url, and in sasl.jaas.config at who asks for it and whom to trust (ssl.truststore.location=...), in "
                        + file;
            default ->
                "Kafka at %s does not answer: %s; is it running (./trainyard broker), and is the address right (--kafka HOST:PORT)?";
        };
        return template.formatted(
                brokers.address(), brokers.file().map(given -> given.hide(why)).orElse(why));
    }
}
