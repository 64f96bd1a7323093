package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Jobs one after another, in this process.
class TrainCommandTest {
    private static final String JOB = """
            {"id": "%s", "dataset": "%s", "epochs": 1, "batchSize": %d,
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}}
            """;

    @TempDir
    private Path folder;

    private record Ended(int status, List<TrainingEvent> events, String errors) {
        List<String> finished() {
            return events.stream()
                    .filter(Finished.class::isInstance)
                    .map(TrainingEvent::job)
                    .toList();
        }
    }

    @Test
    void aJobThatCannotBeRunOrFailsIsNoReasonNotToRunTheOthers() throws IOException {
        Ended ended = train(JOB.formatted("too-large", "shapes28", 60_000)
                + JOB.formatted("no-data", "mnist", 1000)
                + JOB.formatted("good", "shapes28", 1000));
        assertThat(ended.finished()).containsExactly("good");
        assertThat(ended.status()).isEqualTo(ExitCodes.FAILED);
        assertThat(ended.errors())
                .contains("job too-large was rejected: batchSize is 60000, but data set shapes28 has ")
                .contains("job no-data failed: ");
    }

    @Test
    void endsWithZeroIfAllFinished() throws IOException {
        Ended ended = train(JOB.formatted("one", "shapes28", 1000) + JOB.formatted("two", "shapes28", 2000));
        assertThat(ended.status()).as(ended.errors()).isEqualTo(ExitCodes.OK);
        assertThat(ended.finished()).containsExactly("one", "two");
    }

    private Ended train(String jobs) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(
                new ByteArrayInputStream(jobs.getBytes(UTF_8)),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                false);
        int status = new CommandLine(new TrainCommand(terminal))
                .setExecutionExceptionHandler(new FailureMessages())
                .execute(
                        "-",
                        "--json",
                        "--device",
                        "cpu",
                        "--data",
                        folder.resolve("data").toString(),
                        "--checkpoints",
                        folder.resolve("store").toString());
        List<TrainingEvent> events = new ArrayList<>();
        for (String line : out.toString(UTF_8).lines().toList()) {
            events.add(EventJson.readEvent(line.getBytes(UTF_8)));
        }
        return new Ended(status, events, err.toString(UTF_8));
    }
}
