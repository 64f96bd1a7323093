package io.trainyard.topics;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.errors.AuthorizationException;

/// Detects the protocol on a broker's port. Kafka's clients treat an answer in another protocol as a timeout or
/// as a message of hundreds of megabytes.
public final class PortProbe {
    private static final int TIMEOUT_MILLIS = 2000;

    /// Kafka's request for the supported API versions, which any client may send without authentication.
    /// Version 0 has no body; the client id is null.
    private static final short API_VERSIONS = 18;

    private static final short NULL_CLIENT_ID = -1;
    private static final int CORRELATION_ID = 7;
    private static final int REQUEST_BYTES = 3 * Short.BYTES + Integer.BYTES;
    /// The size and the correlation id of a response.
    private static final int RESPONSE_BYTES = 2 * Integer.BYTES;

    private static final int TLS_ALERT = 0x15;
    private static final int TLS_MAJOR = 3;

    /// @param first the first bytes of an answer that is neither Kafka's nor TLS, as text
    private record Answer(Protocol protocol, String first) {}

    private enum Protocol {
        KAFKA,
        TLS,
        OTHER,
        NONE
    }

    private PortProbe() {}

    /// Checks the protocol before the first client connects without TLS.
    ///
    /// @throws KafkaUnreachableException if the port uses TLS or answers in another protocol; a port without an
    ///     answer is left to the clients
    public static void requireKafka(Brokers brokers) {
        if (usesTls(brokers)) {
            return;
        }
        Answer answer = answer(brokers.address());
        if (answer.protocol() == Protocol.TLS) {
            throw new KafkaUnreachableException(
                    brokers,
                    "the port uses TLS, but this process does not; set security.protocol=SSL or SASL_SSL in %s"
                            .formatted(brokers.file()
                                    .map(ClientFile::toString)
                                    .orElse("a file with --kafka-config FILE")));
        }
        if (answer.protocol() == Protocol.OTHER) {
            throw new KafkaUnreachableException(
                    brokers,
                    "the port answers in another protocol (\"%s\"...); check the address (--kafka HOST:PORT)"
                            .formatted(answer.first()));
        }
    }

    /// Checks the protocol after a client with TLS got no answer.
    ///
    /// @return the same exception, or one that says that the port does not use TLS
    public static KafkaUnreachableException explained(KafkaUnreachableException unanswered) {
        Brokers brokers = unanswered.brokers();
        if (usesTls(brokers)
                && !(unanswered.getCause() instanceof AuthorizationException)
                && answer(brokers.address()).protocol() == Protocol.KAFKA) {
            return new KafkaUnreachableException(
                    brokers,
                    "the port does not use TLS, but this process does; security.protocol=PLAINTEXT or SASL_PLAINTEXT in %s would send everything unencrypted, so check the port first (--kafka HOST:PORT)"
                            .formatted(brokers.file().orElseThrow()));
        }
        return unanswered;
    }

    private static boolean usesTls(Brokers brokers) {
        return String.valueOf(brokers.connection().get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG))
                .toUpperCase(Locale.ROOT)
                .endsWith("SSL");
    }

    /// The request in one packet. A TLS server closes the connection after the first bytes, and further packets
    /// would discard its answer.
    private static byte[] request() {
        return ByteBuffer.allocate(Integer.BYTES + REQUEST_BYTES)
                .putInt(REQUEST_BYTES)
                .putShort(API_VERSIONS)
                .putShort((short) 0)
                .putInt(CORRELATION_ID)
                .putShort(NULL_CLIENT_ID)
                .array();
    }

    private static Answer answer(String addresses) {
        String first = addresses.split(",", 2)[0];
        int colon = first.lastIndexOf(':');
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(
                    new InetSocketAddress(
                            first.substring(0, colon).replaceAll("[\\[\\]]", ""),
                            Integer.parseInt(first.substring(colon + 1))),
                    TIMEOUT_MILLIS);
            socket.getOutputStream().write(request());
            byte[] bytes = socket.getInputStream().readNBytes(RESPONSE_BYTES);
            if (bytes.length > 1 && bytes[0] == TLS_ALERT && bytes[1] == TLS_MAJOR) {
                return new Answer(Protocol.TLS, "");
            }
            if (bytes.length < RESPONSE_BYTES) {
                return new Answer(Protocol.NONE, "");
            }
            boolean isKafka = ByteBuffer.wrap(bytes).getInt(Integer.BYTES) == CORRELATION_ID;
            return new Answer(isKafka ? Protocol.KAFKA : Protocol.OTHER, printable(bytes));
        } catch (IOException | IllegalArgumentException _) {
            return new Answer(Protocol.NONE, "");
        }
    }

    private static String printable(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", "?");
    }
}
