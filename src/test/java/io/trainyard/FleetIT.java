package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Broker, two workers, dashboard and `submit` in separate processes: ten jobs, each of which runs once.
@DisabledOnOs(OS.WINDOWS)
final class FleetIT {
    private static final List<String> WORKERS = List.of("w1", "w2");
    private static final List<String> JOBS =
            IntStream.rangeClosed(1, 10).mapToObj(i -> "job-" + i).toList();

    @TempDir
    private static Path folder;

    private static PackagedFleet fleet;
    private static TrainyardProcess dashboard;
    private static TrainyardProcess submit;
    private static List<TrainingEvent> events;

    /// The jobs run once, and the tests inspect the results.
    @BeforeAll
    static void trainTenJobs() {
        fleet = PackagedFleet.withBroker(folder);
        // The broker's maximum: if the machine stalls for longer, a job rightly runs twice.
        TestBroker.lockClaimsFor(Duration.ofMinutes(1), Brokers.at(fleet.kafka()), Topic.DEFAULT_PREFIX);
        WORKERS.forEach(worker -> fleet.startWorker(worker, "--device", "reference"));
        dashboard = fleet.start("dashboard", "--port", "0");
        fleet.awaitMembers();
        submit = fleet.submit(JOBS.stream().map(FleetIT::job).collect(Collectors.joining(",", "[", "]")), "--watch");
        var _ = submit.exitStatus();
        events = fleet.events();
    }

    @AfterAll
    static void stop() {
        dashboard.close();
        fleet.close();
    }

    /// Three kinds in turn, each very short.
    private static String job(String id) {
        String layers = List.of("""
                {"type": "conv2d", "out": 2, "kernel": 7, "stride": 7}, {"type": "relu"},""", "", """
                {"type": "maxPool2d", "kernel": 4},""").get(JOBS.indexOf(id) % 3);
        return """
            {"id": "%s", "epochs": 1, "dataset": "shapes28", "batchSize": 16, "network": {"layers": [
             %s {"type": "flatten"}, {"type": "linear", "out": 10}]}}""".formatted(id, layers);
    }

    private static <T> Stream<T> only(Class<T> type, List<TrainingEvent> events) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    @Test
    void submitWatchesThemToTheirEnd() {
        assertThat(submit.exitStatus()).as(submit.toString()).isZero();
        assertThat(submit.lines()).startsWith(JOBS.toArray(String[]::new));
        JOBS.forEach(job -> assertThat(submit.output()).contains("job " + job + " finished: "));
    }

    /// The history has each step once, in order, and one end per job.
    @Test
    void eachRunsExactlyOnce() {
        assertThat(only(Claimed.class, events))
                .extracting(TrainingEvent::job)
                .as(fleet.toString())
                .containsExactlyInAnyOrderElementsOf(JOBS);
        assertThat(events).extracting(TrainingEvent::attempt).containsOnly(1);
        fleet.checkAll(JOBS.size());
    }

    @Test
    void bothWorkersTakeSome() {
        assertThat(only(Claimed.class, events).map(Claimed::worker)).containsAll(WORKERS);
        assertThat(only(Claimed.class, events).map(Claimed::worker)).isSubsetOf(WORKERS);
    }

    @Test
    void theDashboardShowsThemAll() {
        String url = dashboard.await("Dashboard: (http://[^/]+)/");
        try (HttpClient http = HttpClient.newHttpClient()) {
            Patience.await("the dashboard to show them all").untilAsserted(() -> {
                JsonNode jobs = json(http, url + "/api/v1/jobs");
                assertThat(jobs.findValuesAsText("job")).containsExactlyInAnyOrderElementsOf(JOBS);
                assertThat(jobs.findValuesAsText("state")).containsOnly("finished");
                JsonNode workers = json(http, url + "/api/v1/workers");
                assertThat(workers.findValuesAsText("worker")).containsExactlyElementsOf(WORKERS);
            });
        }
    }

    private static JsonNode json(HttpClient http, String url) throws Exception {
        return new ObjectMapper()
                .readTree(http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                        .body());
    }
}
