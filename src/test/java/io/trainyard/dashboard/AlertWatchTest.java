package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.standardwebhooks.Webhook;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.alert.AlertFormat;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Sends alerts to a real server, and checks signatures with the specification's own library.
@Slow
class AlertWatchTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final SourceStatus sources = new SourceStatus();
    private final Queue<Received> received = new ConcurrentLinkedQueue<>();
    private final Deque<Integer> statuses = new ArrayDeque<>();
    private HttpServer server;

    private record Received(String id, String signature, String body, HttpHeaders headers) {
        JsonNode json() {
            try {
                return MAPPER.readTree(body);
            } catch (IOException e) {
                throw new IllegalStateException(body, e);
            }
        }
    }

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hook", this::answer);
        server.start();
    }

    private void answer(HttpExchange call) throws IOException {
        String body = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        HttpHeaders headers = HttpHeaders.of(call.getRequestHeaders(), (_, _) -> true);
        received.add(new Received(
                headers.firstValue("webhook-id").orElse(""),
                headers.firstValue("webhook-signature").orElse(""),
                body,
                headers));
        Integer status = statuses.poll();
        call.sendResponseHeaders(status == null ? 204 : status, -1);
        call.close();
    }

    @AfterEach
    void close() {
        server.stop(0);
        store.close();
    }

    private AlertWatch watch(String... thresholds) {
        String url = "http://localhost:%d/hook".formatted(server.getAddress().getPort());
        return new AlertWatch(
                store,
                sources,
                new AlertsWanted(Optional.of(url), Optional.of(SECRET), Optional.of(List.of(thresholds))),
                Duration.ofSeconds(10));
    }

    private static EventRecord now(TrainingEvent event) {
        return new EventRecord(event, System.currentTimeMillis());
    }

    @Test
    void aFailedJobCausesOneSignedAlert() throws Exception {
        AlertWatch watch = watch();
        EventRecord failure = now(failed("a", 1, "the loss is NaN"));
        watch.take(List.of(now(claimed("a")), failure));
        watch.take(List.of(failure)); // read again after a store outage
        watch.send();
        watch.send();
        assertThat(received).hasSize(1);
        Received alert = received.remove();
        new Webhook(SECRET).verify(alert.body(), alert.headers());
        assertThat(alert.json().at("/type").asText()).isEqualTo("job.failed");
        assertThat(alert.json().at("/data/job").asText()).isEqualTo("a");
        assertThat(alert.json().at("/data/message").asText()).isEqualTo("job a has failed: the loss is NaN");
        assertThatThrownBy(() -> new Webhook(SECRET).verify(alert.body() + " ", alert.headers()))
                .as("the library does check")
                .isInstanceOf(Exception.class);
        watch.close();
    }

    /// As Slack's incoming webhooks and Teams' workflows take them, without a secret and without markup.
    @ParameterizedTest
    @CsvSource({
        "SLACK, /text, job a has failed: &lt;!channel&gt; [x](y) &amp; z",
        "TEAMS, /attachments/0/content/body/0/inlines/0/text, job a has failed: <!channel> [x](y) & z"
    })
    void alertsCanHaveTheFormOfAChatServer(AlertFormat format, String place, String text) {
        String url = "http://localhost:%d/hook".formatted(server.getAddress().getPort());
        AlertsWanted wanted = new AlertsWanted(format, Optional.of(url), Optional.empty(), Optional.empty());
        AlertWatch watch = new AlertWatch(store, sources, wanted, Duration.ofSeconds(10));
        watch.take(List.of(now(failed("a", 1, "<!channel> [x](y) & z"))));
        watch.send();
        assertThat(received).singleElement().satisfies(alert -> {
            assertThat(alert.json().at(place).asText()).isEqualTo(text);
            assertThat(alert.signature()).isEmpty();
        });
        watch.close();
    }

    @Test
    void aRestartSendsPendingAlertsOnce() {
        statuses.add(503);
        AlertWatch before = watch();
        before.take(List.of(now(finished("a", 1, 20))));
        before.send();
        assertThat(received).hasSize(1);
        String id = received.remove().id();
        before.close();
        AlertWatch after = watch();
        after.take(List.of(now(finished("a", 1, 20)), now(failed("b", 1, "why"))));
        Patience.await("the second attempt").until(() -> {
            after.send();
            return received.size() == 2;
        });
        assertThat(received).extracting(Received::id).contains(id).doesNotHaveDuplicates();
        AlertWatch later = watch();
        later.take(List.of(now(finished("a", 1, 20))));
        later.send();
        assertThat(received).hasSize(2);
        after.close();
        later.close();
    }

    @Test
    void failedCallsAreRetriedLater() {
        statuses.addAll(List.of(500, 429));
        AlertWatch watch = watch();
        watch.take(List.of(now(failed("a", 1, "why"))));
        long startNanos = System.nanoTime();
        Patience.await("the third attempt").until(() -> {
            watch.send();
            return received.size() == 3;
        });
        assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isGreaterThan(Duration.ofSeconds(3));
        assertThat(received)
                .extracting(Received::id)
                .containsOnly(received.peek().id());
        assertThat(received)
                .extracting(Received::body)
                .containsOnly(received.peek().body());
        watch.send();
        assertThat(received).hasSize(3);
        watch.close();
    }

    @Test
    void eventsFromBeforeAlertsWereEnabledCauseNone() {
        long before = System.currentTimeMillis() - 1;
        AlertWatch watch = watch();
        watch.take(List.of(new EventRecord(failed("old", 1, "why"), before - 60_000)));
        long meanwhile = System.currentTimeMillis();
        watch.take(List.of(now(failed("new", 1, "why"))));
        watch.send();
        assertThat(received)
                .extracting(alert -> alert.json().at("/data/job").asText())
                .containsExactly("new");
        watch.close();
        AlertWatch restarted = watch();
        restarted.take(List.of(new EventRecord(failed("meanwhile", 1, "why"), meanwhile)));
        restarted.send();
        assertThat(received).as("while the dashboard was away").hasSize(2);
        restarted.close();
    }

    @Test
    void pendingAlertsAreLimited() {
        AlertWatch watch = watch();
        for (int job = 0; job < 9; job++) {
            watch.take(List.of(now(failed("job-" + job, 1, "why"))));
        }
        watch.send();
        assertThat(received).hasSize(5);
        watch.take(List.of(now(failed("job-8", 1, "why"))));
        watch.send();
        assertThat(received).hasSize(6);
        watch.close();
    }

    @Test
    void reportsInvalidSettingsInASentence() {
        AlertsWanted unsigned =
                new AlertsWanted(Optional.of("http://localhost:1/"), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> new AlertWatch(store, sources, unsigned, Duration.ofSeconds(10)))
                .hasMessageContaining("no secret; set TRAINYARD_DASHBOARD_ALERTS_SECRET");
        AlertsWanted weak =
                new AlertsWanted(Optional.of("http://localhost:1/"), Optional.of("hunter2"), Optional.empty());
        assertThatThrownBy(() -> new AlertWatch(store, sources, weak, Duration.ofSeconds(10)))
                .hasMessageContaining("not Base64 of 24 to 64 bytes");
        AlertsWanted nowhere = new AlertsWanted(Optional.of("localhost"), Optional.of(SECRET), Optional.empty());
        assertThatThrownBy(() -> new AlertWatch(store, sources, nowhere, Duration.ofSeconds(10)))
                .hasMessageContaining("allowed is http://HOST/");
        assertThatThrownBy(() -> watch("accuracy<1")).hasMessageContaining("allowed are train_loss, test_loss");
    }
}
