package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.EventJson;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The packaged dashboard with a small heap and a real broker with large and malicious records.
class DashboardHeapIT {
    private static final String HEAP = "TRAINYARD_JAVA_OPTS=-Xmx256m -XX:TieredStopAtLevel=1";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MEBIBYTE = 1 << 20;

    @TempDir
    private Path dir;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void survivesForgedRecords() throws Exception {
        String prefix = "heap.";
        TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
        feed(prefix);
        try (TrainyardProcess dashboard = start(prefix);
                EventPublisher publisher = new EventPublisher(TestBroker.address(), prefix)) {
            String url = dashboard.await(DashboardIT.URL);
            publisher.send(spec("late"));
            for (String job : List.of("late", "tested", "claims")) { // on different topics, read independently
                awaitJob(dashboard, url, job);
            }
            for (String path : List.of(
                    "/api/v1/groups?by=seed",
                    "/api/v1/groups?by=dataset.normalize.mean",
                    "/api/v1/groups?by=dataset",
                    "/api/v1/compare?jobs=long0,long1,padded0,padded1,tested",
                    "/api/v1/sweeps/padded",
                    "/api/v1/jobs?limit=500",
                    "/api/v1/jobs/tested",
                    "/api/v1/jobs/claims",
                    "/api/v1/workers",
                    "/api/v1/usage?by=device",
                    "/metrics")) {
                requireAnswer(dashboard, url, path);
            }
            assertThat(post(url, BodyPublishers.ofString("- {a: 1}\n".repeat(MEBIBYTE)), dashboard))
                    .isEqualTo(413);
            assertThat(post(url, chunked("- {a: 1}\n".repeat(MEBIBYTE)), dashboard))
                    .isEqualTo(413);
            for (String large : List.of("[],", "{},", "a,", "\"\",")) {
                String list = "[" + large.repeat((MEBIBYTE - 10) / large.length()) + "1]";
                assertThat(post(url, BodyPublishers.ofString(list), dashboard)).isEqualTo(400);
                assertThat(post(url, BodyPublishers.ofString("x: " + list), dashboard))
                        .isEqualTo(400);
            }
            publisher.send(claimed("p1", 1), claimed("after"));
            awaitJob(dashboard, url, "after");
            assertThat(json(url, "/q/health/live").get("status").asText()).isEqualTo("UP");
        }
        try (TrainyardProcess dashboard = start(prefix);
                EventPublisher publisher = new EventPublisher(TestBroker.address(), prefix)) {
            String url = dashboard.await(DashboardIT.URL);
            publisher.send(claimed("p1", 2), claimed("restarted"));
            awaitJob(dashboard, url, "restarted");
            assertThat(json(url, "/api/v1/jobs/p1").at("/summary/attempt").asInt())
                    .isEqualTo(2);
        }
    }

    private TrainyardProcess start(String prefix) {
        return DashboardProcess.start(dir, prefix, 0, List.of(HEAP));
    }

    private static void feed(String prefix) throws Exception {
        try (KafkaProducer<String, byte[]> producer = producer()) {
            Feed feed = new Feed(producer, prefix);
            feed.send(Topic.COMMANDS_NORMAL, "p1", PoisonedTopicsTest.longCommand("p1"));
            feed.send(Topic.COMMANDS_NORMAL, "garbage", "{");
            feed.send(Topic.COMMANDS_NORMAL, "garbage", "[".repeat(MEBIBYTE));
            feed.send(Topic.COMMANDS_NORMAL, "garbage", "{\"a\":".repeat(MEBIBYTE / 5));
            feed.send(Topic.COMMANDS_NORMAL, "garbage", "[" + "{},".repeat(MEBIBYTE / 3 - 1) + "1]");
            for (int i = 0; i < 60; i++) {
                feed.send(Topic.COMMANDS_LOW, "long" + i, PoisonedTopicsTest.longCommand("long" + i));
                String job = JobJson.write(spec("padded" + i)).replaceFirst("\\{", "{\"group\": \"padded\",");
                feed.send(Topic.COMMANDS_HIGH, "padded" + i, job + " ".repeat(MEBIBYTE - job.length()));
            }
            for (int i = 0; i < 10_000; i++) {
                Control desiredState = new Control("forged" + i, DesiredState.CANCEL, null, Instant.now());
                feed.send(Topic.CONTROL, "forged" + i, EventJson.write(desiredState));
            }
            for (int i = 0; i < 1_000; i++) {
                JobSpec job = spec("job" + i);
                feed.send(Topic.COMMANDS_NORMAL, job.id(), JobJson.write(job));
                feed.send(Topic.JOBS, job.id(), EventJson.write(claimed(job.id()), Instant.now()));
                feed.send(Topic.JOBS, job.id(), EventJson.write(started(job, 1, 1, 100, null), Instant.now()));
            }
            String heartbeat = "{\"worker\": \"w%d\", \"device\": \"cpu\", \"samplesPerSecond\": 0, \"memoryBytes\": 1,"
                    + " \"checkpointFailures\": 0, \"stopping\": false, \"slots\": 1, \"jobs\": [%s]}";
            String held = String.join(
                    ",", Collections.nCopies(4_000, "{\"job\": \"a\", \"attempt\": 1, \"samplesPerSecond\": 1}"));
            for (int i = 0; i < 50; i++) {
                feed.send(Topic.WORKERS, "w" + i, heartbeat.formatted(i, held));
            }
            feed.send(Topic.WORKERS, "giant", heartbeat.formatted(-1, String.join(",", Collections.nCopies(35, held))));
            feedEvents(feed);
            feed.await();
        }
    }

    /// Events that no worker publishes.
    private static void feedEvents(Feed feed) throws Exception {
        String names = String.join(",", Collections.nCopies(7, "\"" + "n".repeat(MEBIBYTE - 1) + "\""));
        String start = """
                {"type": "started", "job": "%s", "attempt": %d, "spec": %s, "device": "%s", "threads": 1, "trainSamples": 1,
                 "testSamples": 1, "classes": 10, "firstStep": 1, "stepsPerEpoch": 1, "parameters": [],
                 "dataset": {"shape": [1, 2, 2], "classNames": [%s]}}""";
        String tested = """
                {"type": "epochTested", "job": "tested", "attempt": %d, "epoch": 0, "step": 1, "testLoss": 1, "testAccuracy": 1,
                 "classAccuracy": [%s0], "confusion": [%s[0]]}""";
        for (int i = 1; i <= 8; i++) {
            String job = JobJson.write(spec("names" + i));
            feed.send(Topic.JOBS, "names" + i, start.formatted("names" + i, 1, job, "cpu", names));
            feed.send(
                    Topic.JOBS,
                    "names" + i,
                    start.formatted("few" + i, 1, job, "cpu", "\"n\",".repeat(MEBIBYTE) + "\"n\""));
            feed.send(
                    Topic.ACCURACY,
                    "tested",
                    tested.formatted(i, "0,".repeat(MEBIBYTE), "[0,0,0],".repeat(MEBIBYTE / 2)));
            feed.send(Topic.JOBS, "claims", EventJson.write(claimed("claims", i, "w".repeat(150)), Instant.now()));
            feed.send(
                    Topic.JOBS,
                    "claims",
                    start.formatted("claims", i, JobJson.write(spec("claims")), "d".repeat(MEBIBYTE - 1), ""));
            feed.send(Topic.JOBS, "deep", "[".repeat(4 * MEBIBYTE));
        }
    }

    /// Publishes records, and waits for all acknowledgements at the end.
    private static final class Feed {
        private final KafkaProducer<String, byte[]> producer;
        private final String prefix;
        private final List<Future<?>> sent = new ArrayList<>();
        private long bytes;

        Feed(KafkaProducer<String, byte[]> producer, String prefix) {
            this.producer = producer;
            this.prefix = prefix;
        }

        void send(Topic topic, String key, String text) throws Exception {
            send(topic, key, text.getBytes(StandardCharsets.UTF_8));
        }

        void send(Topic topic, String key, byte[] body) throws Exception {
            sent.add(producer.send(new ProducerRecord<>(topic.name(prefix), key, body)));
            bytes += body.length;
            if (sent.size() >= 1_000 || bytes >= 16 * MEBIBYTE) {
                await();
            }
        }

        void await() throws Exception {
            for (Future<?> one : sent) {
                var _ = Patience.get(one);
            }
            sent.clear();
            bytes = 0;
        }
    }

    private static KafkaProducer<String, byte[]> producer() {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        TestBroker.address(),
                        ProducerConfig.COMPRESSION_TYPE_CONFIG,
                        "lz4",
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        Math.toIntExact(Patience.LIMIT.toMillis()),
                        // More can lose the first records to a new topic: see ChannelOutbox.
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        1,
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        64 * MEBIBYTE,
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        256L * MEBIBYTE),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    private static void requireAlive(TrainyardProcess dashboard) {
        if (!dashboard.isAlive()) {
            throw new AssertionError("it has ended: " + dashboard);
        }
    }

    private void awaitJob(TrainyardProcess dashboard, String url, String job) {
        Patience.await(job).until(() -> {
            requireAlive(dashboard);
            return get(url, "/api/v1/jobs/" + job).statusCode() == 200;
        });
    }

    private void requireAnswer(TrainyardProcess dashboard, String url, String path) throws Exception {
        requireAlive(dashboard);
        HttpResponse<String> answer = get(url, path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        assertThat(answer.body().length()).as(path).isLessThan(32 * MEBIBYTE);
    }

    private HttpResponse<String> get(String url, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(Patience.LIMIT)
                        .build(),
                BodyHandlers.ofString());
    }

    private JsonNode json(String url, String path) throws Exception {
        return JSON.readTree(get(url, path).body());
    }

    private static BodyPublisher chunked(String text) {
        return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private int post(String url, BodyPublisher body, TrainyardProcess dashboard) throws Exception {
        HttpRequest call = HttpRequest.newBuilder(URI.create(url + "/api/v1/jobs"))
                .timeout(Patience.LIMIT)
                .header("Content-Type", "application/json")
                .header("X-Trainyard", "test")
                .POST(body)
                .build();
        try {
            return http.send(call, BodyHandlers.ofString()).statusCode();
        } catch (java.io.IOException _) { // the connection may close before the answer
            requireAlive(dashboard);
            return 413;
        }
    }
}
