package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Jobs trained by two commands together, over a socket.
@Slow
class JoinCommandTest {
    private static final String JOB = """
            {"id": "%s", "dataset": "shapes28", "epochs": %d, "batchSize": 100, %s,
             "optimizer": {"type": "sgd", "learningRate": 0.05, "momentum": 0.9},
             "network": {"layers": [{"type": "conv2d", "out": 8, "kernel": 3}, {"type": "batchNorm2d"}, {"type": "relu"},
                                    {"type": "maxPool2d", "kernel": 2}, {"type": "flatten"}, {"type": "linear", "out": 10}]}}
            """;

    @TempDir
    private Path folder;

    private int port;

    @BeforeEach
    void choosePort() throws IOException {
        port = freePort();
        Files.writeString(secret(), "0123456789abcdef");
    }

    /// None that the system gives to those who connect: who looks whether somebody listens there could meet itself.
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket _ = new ServerSocket(port)) {
                return port;
            } catch (IOException _) { // another has it
            }
        }
    }

    private Path secret() {
        return folder.resolve("secret");
    }

    @Test
    void twoProcessesEndWithTheBitsOfTwoDevices() throws Exception {
        ByteArrayOutputStream alone = new ByteArrayOutputStream();
        assertThat(train(JOB.formatted("alone", 1, "\"devices\": [\"cpu\", \"cpu\"]"), alone))
                .isEqualTo(ExitCodes.OK);

        ByteArrayOutputStream together = new ByteArrayOutputStream();
        CompletableFuture<Integer> trained =
                begin(() -> train(JOB.formatted("together", 1, "\"device\": \"cpu\""), together, leading()));
        awaitDoor();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertThat(run(member(said), joining())).as(said::toString).isEqualTo(ExitCodes.OK);
        assertThat(Patience.get(trained)).isEqualTo(ExitCodes.OK);
        assertThat(last(together, Finished.class).parametersSha256())
                .isEqualTo(last(alone, Finished.class).parametersSha256());
        assertThat(losses(together)).isEqualTo(losses(alone)).isNotEmpty();
        assertThat(last(together, Started.class).threads()).isEqualTo(2);
    }

    /// The first stops in the middle, a second takes its place.
    @Test
    void whenAMemberStopsTheJobGoesOnWithAnother() throws Exception {
        ByteArrayOutputStream alone = new ByteArrayOutputStream();
        assertThat(train(JOB.formatted("alone", 3, "\"devices\": [\"cpu\", \"cpu\"]"), alone))
                .isEqualTo(ExitCodes.OK);

        ByteArrayOutputStream together = new ByteArrayOutputStream();
        CompletableFuture<Integer> trained =
                begin(() -> train(JOB.formatted("together", 3, "\"device\": \"cpu\""), together, leading()));
        awaitDoor();
        JoinCommand first = member(new ByteArrayOutputStream());
        CompletableFuture<Integer> stopped = begin(() -> run(first, joining()));
        Patience.await("steps").until(() -> together.toString(UTF_8).contains("\"losses\""));
        first.stop();
        assertThat(Patience.get(stopped)).isEqualTo(ExitCodes.INTERRUPTED);
        awaitDoor();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertThat(run(member(said), joining())).as(said::toString).isEqualTo(ExitCodes.OK);
        assertThat(Patience.get(trained)).isEqualTo(ExitCodes.OK);
        Finished end = last(together, Finished.class);
        assertThat(end.attempt()).isEqualTo(2);
        assertThat(end.parametersSha256()).isEqualTo(last(alone, Finished.class).parametersSha256());
        assertThat(losses(together)).isEqualTo(losses(alone));
    }

    @Test
    void aSecretIsAskedFor() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertThat(run(new JoinCommand(terminal("", said)), "127.0.0.1:1", "--host", "127.0.0.1"))
                .isEqualTo(ExitCodes.BAD_INPUT);
    }

    private static List<Float> losses(ByteArrayOutputStream out) throws IOException {
        List<Float> all = new ArrayList<>();
        for (TrainingEvent event : events(out)) {
            if (event instanceof StepLosses steps) {
                for (float loss : steps.losses()) {
                    all.add(loss);
                }
            }
        }
        return all;
    }

    private static <T extends TrainingEvent> T last(ByteArrayOutputStream out, Class<T> type) throws IOException {
        return events(out).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList()
                .getLast();
    }

    private static List<TrainingEvent> events(ByteArrayOutputStream out) throws IOException {
        List<TrainingEvent> events = new ArrayList<>();
        for (String line : out.toString(UTF_8).lines().toList()) {
            events.add(EventJson.readEvent(line.getBytes(UTF_8)).event());
        }
        return events;
    }

    private String[] leading() {
        return new String[] {
            "--processes", "2", "--secret", secret().toString(), "--host", "127.0.0.1", "--port", String.valueOf(port)
        };
    }

    private String[] joining() {
        return new String[] {"127.0.0.1:" + port, "--secret", secret().toString(), "--host", "127.0.0.1", "--wait", "10"
        };
    }

    /// Until the leader listens; who only looks is no member.
    private void awaitDoor() {
        Patience.await("the leader").until(() -> {
            try (Socket look = new Socket()) {
                look.connect(new InetSocketAddress("127.0.0.1", port));
                return true;
            } catch (IOException _) {
                return false;
            }
        });
    }

    /// On a thread of its own: it waits for others.
    private static CompletableFuture<Integer> begin(Supplier<Integer> command) {
        return CompletableFuture.supplyAsync(
                command, task -> Thread.ofPlatform().daemon().start(task));
    }

    /// @param said what it says on standard error
    private static JoinCommand member(ByteArrayOutputStream said) {
        return new JoinCommand(new Terminal(
                InputStream.nullInputStream(),
                new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                new PrintStream(said, true, UTF_8),
                false));
    }

    private int train(String job, ByteArrayOutputStream out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "-",
                "--json",
                "--threads",
                "2",
                "--checkpoints",
                folder.resolve("store").toString()));
        arguments.addAll(List.of(more));
        return run(new TrainCommand(terminal(job, out)), arguments.toArray(String[]::new));
    }

    private int run(Object command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--device", "cpu", "--data", folder.resolve("data").toString()));
        return new CommandLine(command)
                .setExecutionExceptionHandler(new FailureMessages())
                .execute(all.toArray(String[]::new));
    }

    private static Terminal terminal(String in, ByteArrayOutputStream out) {
        return new Terminal(
                new ByteArrayInputStream(in.getBytes(UTF_8)),
                new PrintStream(out, true, UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                false);
    }
}
