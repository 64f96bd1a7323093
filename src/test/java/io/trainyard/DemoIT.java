package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// `demo`: a fleet in one process.
@DisabledOnOs(OS.WINDOWS)
final class DemoIT {
    private static final String ESCAPE = "\u001b";
    private static final int SIGTERM_STATUS = 128 + 15;

    @TempDir
    private Path folder;

    private static String job(String id, String device) {
        return job(id, device, "fp32");
    }

    private static String job(String id, String device, String precision) {
        return """
            {"id": "%s", "dataset": "shapes64", "epochs": 1, "device": "%s", "precision": "%s",
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]}}""".formatted(id, device, precision);
    }

    private TrainyardProcess demo(List<String> jobs, String... more) throws IOException {
        Path file = Files.writeString(folder.resolve("demo.json"), jobs.toString());
        return TrainyardProcess.start(
                folder,
                Stream.concat(
                                Stream.of(
                                        TrainyardProcess.LAUNCHER.toString(),
                                        "demo",
                                        "--port",
                                        "0",
                                        "--kafka-port",
                                        "0",
                                        "--jobs",
                                        file.toString()),
                                Stream.of(more))
                        .toList());
    }

    private void assertNothingIsLeft() {
        assertThat(folder.resolve(TrainyardProcess.TEMPORARY)).isDirectoryNotContaining("glob:**/trainyard-*");
        assertThat(folder).isDirectoryNotContaining("glob:**/{checkpoints,trainyard-kafka}");
    }

    @Smoke
    @Test
    void endsWith0WhenAllJobsFinished() throws Exception {
        try (var demo = demo(List.of(job("one", "auto"), job("two", "cpu")), "--exit")) {
            assertThat(demo.exitStatus()).as(demo.toString()).isZero();
            assertThat(demo.output())
                    .containsPattern("page   http://localhost:[1-9][0-9]*/")
                    .containsPattern("(?m)^device auto chose \\w+: .+")
                    .contains("job one finished: ", "job two finished: ")
                    .doesNotContain(ESCAPE, "\r");
            assertThat(demo.errors()).isEmpty();
        }
        assertNothingIsLeft();
    }

    @Test
    void endsWith1WhenAJobFailed() throws Exception {
        String bad = job("bad", "reference", "tf32");
        try (var demo = demo(List.of(job("good", "auto"), bad), "--exit", "--device", "reference")) {
            assertThat(demo.exitStatus()).as(demo.toString()).isEqualTo(1);
            assertThat(demo.output()).contains("job good finished: ");
            assertThat(demo.output())
                    .contains("job bad failed: precision is tf32, but device reference computes in fp32");
        }
        assertNothingIsLeft();
    }

    @Test
    void refusesAJobThatItsWorkerCannotRun() throws Exception {
        try (var demo = demo(List.of(job("good", "auto"), job("bad", "cuda:1")), "--device", "cpu")) {
            assertThat(demo.exitStatus()).as(demo.toString()).isEqualTo(2);
            assertThat(demo.errors()).contains("job bad: device is \"cuda:1\", but the demo's worker has cpu;");
        }
    }

    /// Kafka treats a comma as a separator of folders.
    @Test
    void leavesNothingWhenKafkaDoesNotStart() {
        Path comma = folder.resolve("a,b");
        try (var demo = TrainyardProcess.start(comma, "demo", "--port", "0", "--kafka-port", "0")) {
            assertThat(demo.exitStatus()).as(demo.toString()).isEqualTo(2);
            assertThat(demo.errors()).contains("Kafka does not start with its data in " + comma);
        }
        assertThat(comma.resolve(TrainyardProcess.TEMPORARY)).isDirectoryNotContaining("glob:**/trainyard-*");
    }

    @Test
    void everyCommandWorksWithItUntilItIsStopped() throws Exception {
        try (var demo = demo(List.of(job("mine", "auto")), "--device", "reference");
                HttpClient http = HttpClient.newHttpClient()) {
            String page = demo.await("page   (http://\\S+)");
            String kafka = demo.await("Kafka  (\\S+)");
            demo.await("All jobs have ended");

            Path file = Files.writeString(folder.resolve("more.json"), job("more", "auto"));
            try (var submit = TrainyardProcess.start(folder, "submit", file.toString(), "--watch", "--kafka", kafka)) {
                assertThat(submit.exitStatus()).as(submit.toString()).isZero();
                assertThat(submit.output()).contains("job more finished: ");
            }
            assertThat(http.send(HttpRequest.newBuilder(URI.create(page)).build(), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);

            demo.terminate();
            assertThat(demo.exitStatus()).as(demo.toString()).isEqualTo(SIGTERM_STATUS);
        }
        assertNothingIsLeft();
    }
}
