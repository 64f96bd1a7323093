package io.trainyard;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Broker, two workers, dashboard and `submit`, a process each: ten jobs, each run once.
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

    /// The jobs run once; the tests look at what they left.
    @BeforeAll
    static void trainTenJobs() {
        fleet = PackagedFleet.withBroker(folder);
        // the longest that the broker allows: a machine that stands still for longer rightly runs a job twice
        TestBroker.lockClaimsFor(Duration.ofMinutes(1), Brokers.at(fleet.kafka()), Topic.DEFAULT_PREFIX);
        WORKERS.forEach(fleet::startWorker);
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

    /// Three kinds in turn, a moment each.
    private static String job(String id) {
        String kind = List.of("""
                "network": {"layers": [
                  {"type": "conv2d", "out": 4, "kernel": 8, "stride": 8}, {"type": "relu"}, {"type": "flatten"},
                  {"type": "linear", "out": 6}]}, "dataset": "shapes64", "batchSize": 16""", """
                "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "dataset": "shapes28\"""", """
                "network": {"layers": [{"type": "maxPool2d", "kernel": 8}, {"type": "flatten"},
                  {"type": "linear", "out": 6}]}, "dataset": "shapes64", "batchSize": 32, "shuffle": true""").get(JOBS.indexOf(id) % 3);
        return """
            {"id": "%s", "epochs": 3, %s}""".formatted(id, kind);
    }

    private static Map<String, List<TrainingEvent>> byJob() {
        return events.stream().collect(groupingBy(TrainingEvent::job, TreeMap::new, Collectors.toList()));
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

    @Test
    void eachRunsExactlyOnce() {
        assertThat(byJob()).containsOnlyKeys(JOBS);
        byJob().forEach((job, its) -> {
            assertThat(only(Claimed.class, its)).as("%s: %s", job, fleet).hasSize(1);
            assertThat(its).as(job).extracting(TrainingEvent::attempt).containsOnly(1);
            assertThat(only(Started.class, its)).as(job).hasSize(1);
            assertThat(only(Finished.class, its)).as(job).hasSize(1);
        });
    }

    @Test
    void bothWorkersTakeSome() {
        assertThat(only(Claimed.class, events).map(Claimed::worker)).containsAll(WORKERS);
        assertThat(only(Claimed.class, events).map(Claimed::worker)).isSubsetOf(WORKERS);
    }

    @Test
    void everyStepIsToldOnceAndInOrder() {
        byJob().forEach((job, its) -> {
            Started started = only(Started.class, its).findFirst().orElseThrow();
            Finished finished = only(Finished.class, its).findFirst().orElseThrow();
            assertThat(started.firstStep()).isEqualTo(1);
            long next = 1;
            for (StepLosses losses : only(StepLosses.class, its).toList()) {
                assertThat(losses.firstStep()).as(job).isEqualTo(next);
                assertThat(losses.epoch()).as(job).isEqualTo((int) ((next - 1) / started.stepsPerEpoch()));
                next = losses.lastStep() + 1;
            }
            assertThat(finished.steps()).isEqualTo(3L * started.stepsPerEpoch()).isEqualTo(next - 1);
        });
    }

    @Test
    void theEventsOfAJobComeInTheOrderOfWhatHappened() {
        byJob().forEach((job, its) -> {
            assertThat(its)
                    .filteredOn(CheckpointSaved.class::isInstance)
                    .as("in their order, each once it is safe")
                    .extracting(event -> ((CheckpointSaved) event).epoch())
                    .containsExactly(0, 1, 2);
            List<String> kinds = its.stream()
                    .filter(event -> !(event instanceof CheckpointSaved))
                    .map(event -> switch (event) {
                        case StepLosses e -> "losses" + e.epoch();
                        case EpochTested e -> "tested" + e.epoch();
                        default -> event.getClass().getSimpleName();
                    })
                    .toList();
            assertThat(IntStream.range(0, kinds.size())
                            .filter(i -> i == 0 || !kinds.get(i).equals(kinds.get(i - 1)))
                            .mapToObj(kinds::get))
                    .as(job)
                    .containsExactly(
                            "Claimed",
                            "Started",
                            "losses0",
                            "tested0",
                            "losses1",
                            "tested1",
                            "losses2",
                            "tested2",
                            "Finished");
        });
    }

    @Test
    void theRecordsAreCloudEventsWithTheJobForKey() {
        Map<String, TrainingEvent> ids = new TreeMap<>();
        for (Topic topic : List.of(Topic.STEPS, Topic.ACCURACY, Topic.CHECKPOINTS, Topic.JOBS)) {
            long expected = events.stream().filter(e -> Topic.of(e) == topic).count();
            List<ConsumerRecord<String, byte[]>> records = fleet.read(topic, read -> read.size() >= expected);
            assertThat(records).hasSize((int) expected);
            for (ConsumerRecord<String, byte[]> record : records) {
                String json = new String(record.value(), StandardCharsets.UTF_8);
                TrainingEvent event = PackagedFleet.event(json);
                assertThat(json).startsWith("{\"type\":\"");
                assertThat(record.key()).isEqualTo(RecordKey.of(event));
                assertCloudEvent(record, CloudEvents.type(event));
                assertThat(ids.put(header(record, "ce_id"), event))
                        .as("an id that was there before")
                        .isNull();
            }
        }
        assertThat(ids).hasSize(events.size());
    }

    @Test
    void theWorkersHeartbeatsAreCloudEventsToo() {
        List<ConsumerRecord<String, byte[]>> records = fleet.read(
                Topic.WORKERS,
                read -> read.stream().map(ConsumerRecord::key).distinct().count() == WORKERS.size());
        for (ConsumerRecord<String, byte[]> record : records) {
            assertCloudEvent(record, CloudEvents.WORKER_STATUS);
            assertThat(header(record, "ce_source")).isEqualTo("/workers/" + record.key());
        }
    }

    private static void assertCloudEvent(ConsumerRecord<String, byte[]> record, String type) {
        assertThat(header(record, "ce_specversion")).isEqualTo("1.0");
        assertThat(header(record, "ce_type")).isEqualTo(type);
        assertThat(header(record, "ce_source"))
                .isIn(WORKERS.stream().map(worker -> "/workers/" + worker).toList());
        assertThat(UUID.fromString(header(record, "ce_id"))).isNotNull();
        assertThat(Instant.parse(header(record, "ce_time")))
                .isBetween(Instant.ofEpochMilli(record.timestamp()).minus(Patience.LIMIT), Instant.now());
        assertThat(header(record, "content-type")).isEqualTo("application/json");
        assertThat(record.headers()).as("each once").hasSize(6);
    }

    private static String header(ConsumerRecord<String, byte[]> record, String name) {
        return new String(
                Objects.requireNonNull(record.headers().lastHeader(name), name).value(), StandardCharsets.UTF_8);
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
