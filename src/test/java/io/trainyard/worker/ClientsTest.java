package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Programs;
import io.trainyard.Slow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// The clients in docs/clients publish a job to a real broker, follow it and print each of its losses.
@Slow
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientsTest {
    private static final int STEPS = 10;

    private static final String JOB = """
            {"id": "%s",
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]},
             "dataset": "shapes28", "device": "reference", "batchSize": 2000, "epochs": 2%s}""";

    private final Fleet fleet = new Fleet();

    @TempDir
    static Path folder;

    @BeforeAll
    void start() {
        var _ = fleet.start("w", fleet.trainer(folder, "w"));
    }

    @AfterAll
    void close() {
        fleet.close();
    }

    @Test
    void python() throws Exception {
        String python = Programs.python("confluent_kafka", "python3-confluent-kafka");
        followsAJob("python", python, "docs/clients/follow.py", "--kafka", fleet.kafka, "--prefix", fleet.prefix);
    }

    @Test
    void shell() throws Exception {
        var _ = Programs.find("kcat", "kcat");
        var _ = Programs.find("jq", "jq");
        followsAJob("shell", "bash", "docs/clients/follow.sh");
    }

    private void followsAJob(String id, String... client) throws Exception {
        Run good = run(id, "", client);
        assertThat(good.status()).as(good.output()).isZero();
        assertThat(good.output()
                        .lines()
                        .filter(line -> line.startsWith("step "))
                        .map(line -> line.split(" loss ")[0]))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, STEPS)
                        .mapToObj(step -> "step " + step)
                        .toList());
        assertThat(good.output()).contains("finished").containsPattern("step %d loss \\d\\.\\d+".formatted(STEPS));

        Run refused = run(id + "-refused", ", \"epoch\": 3", client);
        assertThat(refused.status()).as(refused.output()).isEqualTo(1);
        assertThat(refused.output())
                .contains("the field \"epoch\" is not known")
                .doesNotContain("step ");
    }

    /// The exit status and output of a client.
    private record Run(int status, String output) {}

    private Run run(String id, String more, String... client) throws IOException, InterruptedException {
        Path job = Files.writeString(folder.resolve(id + ".json"), JOB.formatted(id, more));
        Path output = folder.resolve(id + ".txt");
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(client)))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.command().add(2, job.toString());
        builder.environment().putAll(Map.of("TRAINYARD_KAFKA", fleet.kafka, "TRAINYARD_TOPICS_PREFIX", fleet.prefix));
        Process process = builder.start();
        boolean ended = process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended)
                .as("%s: %s", List.of(client), Files.readString(output))
                .isTrue();
        return new Run(process.exitValue(), Files.readString(output));
    }
}
