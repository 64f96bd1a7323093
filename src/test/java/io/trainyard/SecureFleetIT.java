package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.broker.SecureBroker;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The packaged fleet on a Kafka with TLS, SCRAM and ACLs, each role with minimal permissions. No secret may
/// appear in any output.
@DisabledOnOs(OS.WINDOWS)
final class SecureFleetIT {
    private static final String AWS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    private static final String HOOK = "T024BE7LD-B12M7Q8Q-hook-path";
    private static final String SIGN_IN_SECRET = "the-provider-knows-the-dashboard-by-this";
    private static final String DATABASE_PASSWORD = "database-horse-battery";
    private static final String SIGNING =
            Base64.getEncoder().encodeToString("thirty-two bytes to sign with...".getBytes(StandardCharsets.UTF_8));

    /// The secrets of all users and servers.
    private static final List<String> SECRETS = List.of(
            AWS_KEY,
            HOOK,
            SIGN_IN_SECRET,
            DATABASE_PASSWORD,
            SIGNING,
            SecureBroker.STORE_PASSWORD,
            SecureBroker.LONG_PASSWORD,
            SecureBroker.CLIENT_SECRET);

    @TempDir
    private static Path folder;

    private static SecureBroker kafka;
    private static final List<TrainyardProcess> STARTED = new ArrayList<>();

    @BeforeAll
    static void startABrokerAndAllowTheLeast() throws Exception {
        kafka = SecureBroker.startAsShipped(folder);
        kafka.admit(
                Topic.DEFAULT_PREFIX,
                role -> role == KafkaRole.WORKER ? SecureBroker.CLIENT : role.word()); // workers use a token
    }

    @AfterAll
    static void stop() {
        STARTED.forEach(TrainyardProcess::close);
        kafka.close();
    }

    private static TrainyardProcess start(KafkaRole role, String... arguments) throws IOException {
        Path file = role == KafkaRole.WORKER ? kafka.token() : kafka.scram(role);
        Path hook = Files.writeString(folder.resolve("hook"), "http://localhost:1/" + HOOK + "\n");
        List<String> command = new ArrayList<>(List.of(
                "/usr/bin/env",
                "TRAINYARD_KAFKA=" + kafka.address(),
                "TRAINYARD_KAFKA_CONFIG=" + file,
                "AWS_SECRET_ACCESS_KEY=" + AWS_KEY,
                "TRAINYARD_DASHBOARD_ALERTS_URL_FILE=" + hook,
                "TRAINYARD_DASHBOARD_ALERTS_SECRET=" + SIGNING,
                "TRAINYARD_DASHBOARD_ALERTS_RULES=finished",
                "TRAINYARD_SIGN_IN_SECRET=" + SIGN_IN_SECRET,
                "TRAINYARD_LIMITS_EPOCHS=5",
                "TRAINYARD_DASHBOARD_MAX_WAITING=1",
                TrainyardProcess.LAUNCHER.toString()));
        command.addAll(List.of(arguments));
        TrainyardProcess started = TrainyardProcess.start(folder, command);
        STARTED.add(started);
        return started;
    }

    private static void requireDone(TrainyardProcess process) {
        assertThat(process.exitStatus()).as(process.toString()).isZero();
    }

    @Test
    void everyRoleWorksAndNoSecretIsLogged() throws Exception {
        requireDone(start(KafkaRole.ADMINISTRATOR, "topics"));
        TrainyardProcess worker =
                start(KafkaRole.WORKER, "worker", "--id", "w1", "--device", "reference", "--metrics-port", "0");
        TrainyardProcess dashboard = start(KafkaRole.DASHBOARD, "dashboard", "--port", "0");
        String metrics = worker.await("Metrics: (http://\\S+)");
        String page = dashboard.await("Dashboard: (http://[^/]+)/");
        List<String> commandLines = List.of(worker.commandLine(), dashboard.commandLine());

        Path jobs = Files.writeString(folder.resolve("job.json"), job("safe-1", 1));
        requireDone(start(KafkaRole.SUBMITTER, "submit", jobs.toString()));
        TrainyardProcess watch = start(KafkaRole.READER, "watch", "safe-1");
        requireDone(watch);
        requireDone(start(KafkaRole.READER, "events", "--check", "--complete"));
        TrainyardProcess pause = start(KafkaRole.OPERATOR, "pause", "safe-1");
        assertThat(pause.exitStatus()).as(pause.toString()).isEqualTo(1);
        assertThat(pause.errors()).contains("has finished already");

        String shown = Patience.await("the dashboard to show the end")
                .until(() -> get(page + "/api/v1/jobs"), answer -> answer.contains("\"finished\""));
        Patience.await("an alert that is refused")
                .until(() -> dashboard.errors().contains("an alert was not accepted")
                        || dashboard.output().contains("an alert was not accepted"));

        assertThat(post(page, "[%s, %s]".formatted(job("a", 1), job("b", 1))))
                .contains("\"status\":429", "max-waiting");
        assertThat(post(page, job("greedy-1", 6))).contains("greedy-1").doesNotContain("status");
        TrainyardProcess greedy = start(KafkaRole.READER, "watch", "greedy-1");
        assertThat(greedy.exitStatus()).as(greedy.toString()).isEqualTo(1);
        assertThat(greedy.output() + greedy.errors()).contains("epochs is 6", "up to 5 (TRAINYARD_LIMITS_EPOCHS)");

        TrainyardProcess refused = start(KafkaRole.READER, "submit", jobs.toString());
        assertThat(refused.exitStatus()).as(refused.toString()).isEqualTo(3);
        assertThat(refused.errors())
                .contains("does not allow it", "commands.normal")
                .doesNotContain("\tat ");
        TrainyardProcess wrongStore = start(
                KafkaRole.READER,
                "export",
                "csv",
                "--output",
                "out",
                "--tracking",
                "jdbc:postgresql://u:%s@localhost:1/x?password=%s".formatted(DATABASE_PASSWORD, DATABASE_PASSWORD));
        assertThat(wrongStore.exitStatus()).as(wrongStore.toString()).isEqualTo(2);
        for (String command : List.of("worker", "dashboard", "export", "submit")) {
            requireDone(start(KafkaRole.DASHBOARD, command, "--help"));
        }

        List<String> published = new ArrayList<>(commandLines);
        published.addAll(List.of(shown, get(metrics), get(page + "/metrics"), records()));
        STARTED.forEach(process -> published.addAll(List.of(process.output(), process.errors())));
        for (String secret : SECRETS) {
            assertThat(published).noneMatch(text -> text.contains(secret), secret);
        }
        assertThat(records())
                .contains("safe-1")
                .contains(Finished.class.getSimpleName().toLowerCase(Locale.ROOT));
    }

    private static String job(String id, int epochs) {
        return """
            {"id": "%s", "dataset": "shapes64", "epochs": %d,
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]}}""".formatted(id, epochs);
    }

    private static String post(String page, String jobs) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest submit = HttpRequest.newBuilder(URI.create(page + "/api/v1/jobs"))
                    .header("X-Trainyard", "test")
                    .POST(BodyPublishers.ofString(jobs))
                    .build();
            return http.send(submit, BodyHandlers.ofString()).body();
        }
    }

    private static String get(String url) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                    .body();
        }
    }

    /// All records of all topics: keys, headers, values.
    private static String records() {
        StringBuilder all = new StringBuilder();
        try (var consumer = kafka.anyDoor().consumer(Map.of())) {
            List<TopicPartition> partitions = Stream.of(Topic.values())
                    .flatMap(topic -> consumer.partitionsFor(topic.name(Topic.DEFAULT_PREFIX)).stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Patience.await("the ends of the topics").until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                    all.append(record.key());
                    record.headers().forEach(header -> all.append(new String(header.value(), StandardCharsets.UTF_8)));
                    if (record.value() != null) {
                        all.append(new String(record.value(), StandardCharsets.UTF_8))
                                .append('\n');
                    }
                });
                return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
            });
        }
        return all.toString();
    }
}
