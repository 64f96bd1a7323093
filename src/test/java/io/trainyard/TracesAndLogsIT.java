package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A worker that exports its spans to a collector and logs JSON.
final class TracesAndLogsIT {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    Path folder;

    private final Queue<String> received = new ConcurrentLinkedQueue<>(); // protocol buffers contain text verbatim
    private HttpServer collector;

    @BeforeEach
    void collect() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    @Test
    void aWorkerSendsTracesAndLogsJson() {
        try (PackagedFleet fleet = PackagedFleet.of(folder, "traced.")) {
            fleet.startWorker(
                    "w1",
                    List.of(
                            "TRAINYARD_LOG_JSON=true",
                            "OTEL_TRACES_EXPORTER=otlp",
                            "OTEL_BSP_SCHEDULE_DELAY=200",
                            "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:"
                                    + collector.getAddress().getPort()),
                    "--device",
                    "reference");
            fleet.awaitMembers();
            TrainyardProcess submitted = fleet.submit("""
                    {"id": "traced", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]},
                     "dataset": "shapes28", "batchSize": 1000, "epochs": 1}""", "--watch");
            assertThat(submitted.exitStatus()).as(submitted.toString()).isZero();
            Patience.await("all spans at the collector")
                    .until(() -> List.of("claim", "attempt", "epoch", "checkpoint").stream()
                            .allMatch(name -> received.stream().anyMatch(body -> body.contains(name))));
            assertThat(received).anyMatch(body -> body.contains("traced") && body.contains("trainyard"));

            TrainyardProcess worker = fleet.worker("w1");
            worker.await("\"message\":\"[^\"]*finished");
            List<JsonNode> lines =
                    worker.lines().stream().map(TracesAndLogsIT::json).toList();
            assertThat(lines)
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line.fieldNames())
                            .toIterable()
                            .contains("time", "level", "logger", "thread", "message"));
            assertThat(lines).anySatisfy(line -> {
                assertThat(line.path("message").asText()).contains("finished");
                assertThat(line.at("/about/job").asText()).isEqualTo("traced");
                assertThat(line.at("/about/attempt").asText()).isEqualTo("1");
                assertThat(line.at("/about/worker").asText()).isEqualTo("w1");
            });
        }
    }

    private static JsonNode json(String line) {
        try {
            return MAPPER.readTree(line);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("no JSON: " + line, e);
        }
    }
}
