package io.trainyard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.Patience;
import io.trainyard.Ports;
import io.trainyard.Programs;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// The system's Prometheus, in a separate folder and on a free port.
final class Prometheus implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final Path log;
    private final String url;
    private final HttpClient http = HttpClient.newHttpClient();

    private Prometheus(Process process, Path log, String url) {
        this.process = process;
        this.log = log;
        this.url = url;
    }

    /// @param name `prometheus` or `promtool`, which are in the same package
    static Path program(String name) {
        return Programs.find(name, "prometheus");
    }

    /// Starts it, and waits until it is ready.
    ///
    /// @param configuration as YAML
    static Prometheus start(Path folder, String configuration) throws Exception {
        Path program = program("prometheus");
        Path config = Files.writeString(folder.resolve("prometheus.yml"), configuration);
        Path log = folder.resolve("prometheus.log");
        int port = Ports.take();
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Prometheus prometheus = new Prometheus(process, log, "http://127.0.0.1:" + port);
        Patience.await("Prometheus to be ready").until(() -> {
            assertThat(process.isAlive()).as("%s", prometheus).isTrue();
            return prometheus.isReady();
        });
        return prometheus;
    }

    private boolean isReady() throws InterruptedException {
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (IOException _) { // not listening yet
            return false;
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
    }

    /// Evaluates a query at the current time. Fails the test if the query is invalid.
    ///
    /// @return the rows of the result
    JsonNode query(String promql) throws Exception {
        return ask("/api/v1/query", Map.of("query", promql)).path("data").path("result");
    }

    /// The scrape targets and their health.
    JsonNode targets() throws Exception {
        return ask("/api/v1/targets", Map.of()).path("data").path("activeTargets");
    }

    private JsonNode ask(String path, Map<String, String> parameters) throws Exception {
        String query = parameters.entrySet().stream()
                .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        var answer = get(path + "?" + query);
        JsonNode json = JSON.readTree(answer.body());
        assertThat(json.path("status").asText())
                .as("%s %s: %s", path, parameters, answer.body())
                .isEqualTo("success");
        return json;
    }

    @Override
    public void close() throws Exception {
        http.close();
        process.destroy();
        assertThat(process.waitFor(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
    }

    /// The process's output, for assertion messages.
    @Override
    public String toString() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
