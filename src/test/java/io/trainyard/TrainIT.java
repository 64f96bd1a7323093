package io.trainyard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.event.EventJson;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `train`: training without Kafka, as a process.
@DisabledOnOs(OS.WINDOWS)
final class TrainIT {
    private static final Path READER =
            Path.of("src/test/python/checkpoint_sha256.py").toAbsolutePath();

    /// Both kinds of parameters, and all random parts: order, dropout masks, initial weights.
    private static final String WITH_EVERYTHING_RANDOM = """
        {"id": "twice", "dataset": "shapes32", "epochs": 2, "batchSize": 64, "shuffle": true, "seed": 7,
         "network": {"layers": [
           {"type": "conv2d", "out": 4, "kernel": 3, "stride": 3}, {"type": "batchNorm2d"}, {"type": "relu"},
           {"type": "maxPool2d", "kernel": 2}, {"type": "flatten"}, {"type": "dropout", "p": 0.5},
           {"type": "linear", "out": 10}]}}""";

    /// Takes some seconds.
    private static final String LONG = """
        {"id": "long", "network": "lenet", "dataset": "shapes32", "epochs": 3, "batchSize": 4, "shuffle": true,
         "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}}""";

    @TempDir
    private static Path folder;

    private static TrainyardProcess first;
    private static TrainyardProcess second;
    private static TrainyardProcess uninterrupted;
    private static TrainyardProcess help;

    @BeforeAll
    static void train() throws IOException {
        first = train(WITH_EVERYTHING_RANDOM, "--json");
        assertThat(first.exitStatus()).as(first.toString()).isZero();
        second = train(WITH_EVERYTHING_RANDOM, "--json");
        assertThat(second.exitStatus()).as(second.toString()).isZero();
        uninterrupted = train(LONG, "--json", "--checkpoints", "uninterrupted");
        assertThat(uninterrupted.exitStatus()).as(uninterrupted.toString()).isZero();
        help = TrainyardProcess.run(folder, "train", "--help");
    }

    private static TrainyardProcess train(String job, String... options) throws IOException {
        Path file = Files.writeString(Files.createTempFile(folder, "job", ".json"), job);
        return TrainyardProcess.start(
                folder,
                Stream.concat(
                                Stream.of(TrainyardProcess.LAUNCHER.toString(), "train", file.toString()),
                                Stream.of(options))
                        .toList());
    }

    private static List<TrainingEvent> events(TrainyardProcess train) {
        assertThat(train.exitStatus()).as(train.toString()).isZero();
        return train.lines().stream().map(PackagedFleet::event).toList();
    }

    private static <T> List<T> only(Class<T> type, List<TrainingEvent> events) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static List<Float> losses(List<TrainingEvent> events) {
        List<Float> all = new ArrayList<>();
        for (StepLosses some : only(StepLosses.class, events)) {
            for (float loss : some.losses()) {
                all.add(loss);
            }
        }
        return all;
    }

    @Test
    void theSameJobGivesTheSameBitsAndTheSameLosses() {
        List<TrainingEvent> one = events(first);
        List<TrainingEvent> two = events(second);

        assertThat(losses(one)).hasSize(200).doesNotContain(Float.NaN);
        assertThat(losses(two)).isEqualTo(losses(one));
        assertThat(only(Finished.class, two).getFirst().parametersSha256())
                .isEqualTo(only(Finished.class, one).getFirst().parametersSha256());
        List<String> ours = only(CheckpointSaved.class, two).stream()
                .map(CheckpointSaved::uri)
                .toList();
        assertThat(ours).hasSize(2).allMatch(uri -> Files.exists(Path.of(URI.create(uri))));
        assertThat(only(CheckpointSaved.class, one))
                .extracting(CheckpointSaved::uri)
                .doesNotContainAnyElementsOf(ours);
        assertThat(only(CheckpointSaved.class, two))
                .extracting(CheckpointSaved::sha256)
                .containsExactlyElementsOf(only(CheckpointSaved.class, one).stream()
                        .map(CheckpointSaved::sha256)
                        .toList());
    }

    /// Runs that have ended, and one that is under way and then killed.
    @Test
    void runsAreShownByALocalDashboardWhileTheyTrain() throws Exception {
        try (TrainyardProcess dashboard = TrainyardProcess.start(folder, "dashboard", "--local", "--port", "0");
                TrainyardProcess train =
                        train(LONG.replace("\"long\"", "\"shown\"").replace("\"epochs\": 3", "\"epochs\": 1000"));
                HttpClient http = HttpClient.newHttpClient()) {
            String jobs = dashboard.await("Dashboard: (http://\\S+/)") + "api/v1/jobs";
            Patience.await("the runs").untilAsserted(() -> {
                assertThat(json(http, jobs + "/twice~2/curve").get("mean")).hasSize(200);
                assertThat(json(http, jobs + "/shown/curve").get("mean")).isNotEmpty();
            });
            assertThat(json(http, jobs + "/twice").at("/summary/state").asText())
                    .isEqualTo("finished");
            assertThat(json(http, jobs + "/twice").at("/tests/1/testAccuracy").asDouble())
                    .isPositive();
            assertThat(json(http, jobs + "/shown").at("/summary/state").asText())
                    .isEqualTo("running");
            assertThat(json(http, jobs + "/twice/results/mistakes")).isNotEmpty();
            HttpRequest submit = HttpRequest.newBuilder(URI.create(jobs))
                    .header("X-Trainyard", "")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(WITH_EVERYTHING_RANDOM))
                    .build();
            assertThat(http.send(submit, BodyHandlers.ofString()))
                    .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(409))
                    .satisfies(answer -> assertThat(answer.body()).contains("--local"));
            train.kill();
            Patience.await("the end of the process")
                    .untilAsserted(() -> assertThat(json(http, jobs + "/shown")
                                    .at("/summary/state")
                                    .asText())
                            .isEqualTo("paused"));
        }
    }

    private static JsonNode json(HttpClient http, String url) throws Exception {
        HttpRequest get = HttpRequest.newBuilder(URI.create(url)).build();
        return new JsonMapper().readTree(http.send(get, BodyHandlers.ofString()).body());
    }

    @Test
    void theLastCheckpointHoldsTheBitsThatWereInMemory() throws Exception {
        List<String> python = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(path -> Path.of(path, "python3").toString())
                .filter(path -> Files.isExecutable(Path.of(path)))
                .toList();
        assumeTrue(!python.isEmpty(), "there is no python3 on the PATH to read the checkpoint with");
        List<TrainingEvent> events = events(second);
        Path last =
                Path.of(URI.create(only(CheckpointSaved.class, events).getLast().uri()));

        try (var reader =
                TrainyardProcess.start(folder, List.of(python.getFirst(), READER.toString(), last.toString()))) {
            assertThat(reader.exitStatus()).as(reader.toString()).isZero();
            assertThat(reader.output().strip())
                    .isEqualTo(only(Finished.class, events).getFirst().parametersSha256());
        }
    }

    @Test
    void theLinesAreTheTopicsJson() {
        assertThat(first.lines()).isNotEmpty().allSatisfy(line -> {
            assertThat(line).matches("\\{\"type\":\"[a-zA-Z]+\",\"job\":\"twice\",\"attempt\":1,.*");
            TimestampedEvent published = PackagedFleet.published(line);
            assertThat(new String(EventJson.write(published.event(), Objects.requireNonNull(published.time())), UTF_8))
                    .isEqualTo(line);
        });
        assertThat(first.errors())
                .as("device and result")
                .matches("auto chose \\w+: .+\\R\\./trainyard predict twice\\R");
    }

    @Test
    void resumesWithTheSameBitsAfterCtrlC() throws Exception {
        List<TrainingEvent> whole = events(uninterrupted);
        try (var train = train(LONG, "--json")) {
            train.await("\"type\":\"checkpointSaved\"");
            train.interrupt();
            assertThat(train.exitStatus()).as(train.toString()).isEqualTo(130);
            assertThat(train.errors()).contains("long was interrupted").contains("--resume");
            List<TrainingEvent> before =
                    train.lines().stream().map(PackagedFleet::event).toList();
            long step = only(Released.class, before).getFirst().step();
            CheckpointSaved saved = only(CheckpointSaved.class, before).getLast();
            assertThat(saved.step()).isEqualTo(step);
            assertThat(Path.of(URI.create(saved.uri()))).exists();

            List<TrainingEvent> after = events(train(LONG, "--json", "--resume"));
            assertThat(only(Claimed.class, after).getFirst().attempt()).isEqualTo(2);
            assertThat(only(Started.class, after).getFirst().firstStep()).isEqualTo(step + 1);
            List<Float> losses = losses(before);
            losses.addAll(losses(after));
            assertThat(losses).isEqualTo(losses(whole));
            assertThat(only(Finished.class, after).getFirst().parametersSha256())
                    .isEqualTo(only(Finished.class, whole).getFirst().parametersSha256());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        # network | dataset | option and value     | status | words of the sentence
        lenet     | cifar10  | --data,no-such-folder | 1     | no-such-folder
        lenet     | shapes32 | --device,cuda:999     | 2     | no device
        signs     | shapes32 | --threads,0           | 2     | "fc3" gives 6, but the dataset has 10 classes
        """)
    void reportsErrorsInASentence(String network, String dataset, String option, int status, String words)
            throws Exception {
        TrainyardProcess train = train("""
            {"id": "wrong", "network": "%s", "dataset": "%s", "epochs": 1}""".formatted(network, dataset), option.split(","));
        assertThat(train.exitStatus()).as(train.toString()).isEqualTo(status);
        assertThat(train.errors().lines().filter(line -> line.contains(words)))
                .as(train.errors())
                .hasSize(1);
        assertThat(train.errors()).doesNotContain("Exception", "\tat ");
        assertThat(help.output()).containsPattern("(?m)^ +" + status + " +\\S");
    }
}
