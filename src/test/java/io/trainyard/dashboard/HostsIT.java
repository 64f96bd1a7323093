package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A dashboard on the network without sign-in, queried byte by byte.
class HostsIT {
    private static final String PREFIX = "hosts.";
    private static final String INFO = "/api/v1/info";
    private static final String POST = "POST /api/v1/jobs/x/pause HTTP/1.1\nX-Trainyard: x\nContent-Length: 0\n";

    @TempDir
    private static Path dir;

    private static TrainyardProcess dashboard;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        TopicAdmin.createMissing(TestBroker.brokers(), PREFIX, Patience.LIMIT);
        dashboard = start("a.db", "--read-only=false");
        port = port(dashboard);
    }

    private static TrainyardProcess start(String store, String... more) {
        List<String> options = new ArrayList<>(List.of("--host", "0.0.0.0", "--tracking", "jdbc:sqlite:" + store));
        options.addAll(List.of(more));
        return DashboardProcess.start(
                dir,
                PREFIX,
                0,
                List.of("TRAINYARD_DASHBOARD_HOSTS=trainyard.example.org"),
                options.toArray(String[]::new));
    }

    private static int port(TrainyardProcess process) {
        return URI.create(process.await(DashboardIT.URL)).getPort();
    }

    @AfterAll
    static void stop() {
        dashboard.close();
    }

    /// The response to exactly these lines.
    private static String ask(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String lines = (request + "\nConnection: close\n\n").replaceAll("\n+", "\n") + "\n";
            socket.getOutputStream().write(lines.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String ask(String request) throws IOException {
        return ask(port, request);
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "evil.example:8080", "localhost.evil.example", "10.1.2.3", "[fe80::1]"})
    void refusesOtherHostNames(String host) throws IOException {
        for (String path : List.of(INFO, "/", "/api/v1/openapi", "/api/v1/jobs")) {
            assertThat(ask("GET " + path + " HTTP/1.1\nHost: " + host))
                    .startsWith("HTTP/1.1 421 ")
                    .contains("application/problem+json", host, "TRAINYARD_DASHBOARD_HOSTS")
                    .doesNotContain("\"version\"");
        }
    }

    @Test
    void aRequestThatNamesNoHostOrTwoIsRefused() throws IOException {
        assertThat(ask("GET " + INFO + " HTTP/1.0")).startsWith("HTTP/1.0 421 ");
        assertThat(ask("GET " + INFO + " HTTP/1.1")).matches("(?s)HTTP/1.1 4(00|21) .*");
        assertThat(ask("GET " + INFO + " HTTP/1.1\nHost: localhost\nHost: evil.example"))
                .matches("(?s)HTTP/1.1 4(00|21) .*");
        assertThat(ask("GET http://evil.example" + INFO + " HTTP/1.1\nHost: localhost"))
                .startsWith("HTTP/1.1 421 ");
        assertThat(ask("GET http://localhost:1" + INFO + " HTTP/1.1\nHost: localhost:1"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void probesAndPrometheusNameAnyHost() throws IOException {
        for (String path : List.of("/metrics", "/q/health/ready", "/q/health/live")) {
            assertThat(ask("GET " + path + " HTTP/1.1\nHost: 10.1.2.3:8080")).startsWith("HTTP/1.1 200 ");
        }
        assertThat(ask("GET /q/health/..;/../../api/v1/info HTTP/1.1\nHost: evil.example"))
                .doesNotStartWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://evil.example", "http://localhost:1", "https://localhost.evil.example", "null", "x y"})
    void aWriteFromAnotherPageIsRefused(String origin) throws IOException {
        assertThat(ask(POST + "Host: localhost\nOrigin: " + origin))
                .startsWith("HTTP/1.1 403 ")
                .contains("the request comes from a page of");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host: localhost:1\nOrigin: http://LocalHost:1", "Host: localhost"})
    void aWriteFromItsOwnPageIsAllowed(String headers) throws IOException {
        assertThat(ask(POST + headers)).startsWith("HTTP/1.1 404 ").contains("nothing was submitted under that id");
    }

    /// Writes are refused unless the dashboard is configured as open.
    @Test
    void refusesChangesWithoutSignIn() throws IOException {
        assertThat(dashboard.errors()).contains("everyone who reaches it may submit and cancel jobs");
        try (TrainyardProcess closed = start("b.db")) {
            assertThat(ask(port(closed), POST + "Host: localhost"))
                    .startsWith("HTTP/1.1 403 ")
                    .contains("read-only");
            assertThat(closed.errors()).contains("it is read-only");
        }
    }
}
