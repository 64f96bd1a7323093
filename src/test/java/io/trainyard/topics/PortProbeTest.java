package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// For ports of a real broker see [SecureKafkaTest].
class PortProbeTest {
    /// The first four bytes of the answer, read as the length of a Kafka message, are 1.2 GB, which Kafka's clients
    /// allocate.
    @Test
    void refusesAPortThatSpeaksHttp() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> answer(server));
            Brokers brokers = Brokers.at("localhost:" + server.getLocalPort());
            assertThatThrownBy(() -> PortProbe.requireKafka(brokers))
                    .isInstanceOf(KafkaUnreachableException.class)
                    .hasMessage(
                            "Kafka at %s: the port answers in another protocol (\"HTTP/1.1\"...); check the address (--kafka HOST:PORT)",
                            brokers);
            answered.get(10, TimeUnit.SECONDS);
        }
    }

    private static void answer(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getInputStream().read();
            client.getOutputStream()
                    .write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
