package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.EventJson;
import io.trainyard.event.RunLog;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.CheckpointName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs one after another in this process.
class TrainCommandTest {
    private static final String JOB = """
            {"id": "%s", "dataset": "%s", "epochs": 1, "batchSize": %d,
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}}
            """;

    @TempDir
    private Path folder;

    private record Ended(int status, List<String> lines, List<TrainingEvent> events, String errors) {
        List<String> finished() {
            return events.stream()
                    .filter(Finished.class::isInstance)
                    .map(TrainingEvent::job)
                    .toList();
        }
    }

    @Test
    void aFailingOrImpossibleJobDoesNotStopTheOthers() throws IOException {
        Ended ended = train(JOB.formatted("too-large", "shapes28", 60_000)
                + JOB.formatted("no-data", "mnist", 1000)
                + JOB.formatted("good", "shapes28", 1000));
        assertThat(ended.finished()).containsExactly("good");
        assertThat(ended.status()).isEqualTo(ExitCodes.FAILED);
        assertThat(ended.errors())
                .contains("job too-large failed: batchSize is 60000, but dataset shapes28 has ")
                .contains("job no-data cannot be run here: ");
    }

    @Test
    void aFailureIsLoggedOnce() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertThat(run(command(JOB.formatted("no-data", "mnist", 1000), said, false)))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(said.toString(UTF_8))
                .containsOnlyOnce("cannot be run here: ")
                .containsOnlyOnce("has no folder mnist");
        assertThat(said.toString(UTF_8).lines().toList().getLast()).startsWith("job no-data cannot be run here: ");
    }

    @Test
    void longReasonsArePrintedUnderTheBars() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        String jobs = JOB.formatted("no-data", "mnist", 1000) + JOB.formatted("too-large", "shapes28", 60_000);
        assertThat(run(command(jobs, said, true))).isEqualTo(ExitCodes.FAILED);
        List<String> lines = said.toString(UTF_8).lines().toList();
        assertThat(lines.get(lines.size() - 2))
                .startsWith("job no-data cannot be run here: ")
                .endsWith("--data");
        assertThat(lines.getLast()).matches("job too-large failed: batchSize is 60000, .* allowed is 1 to \\d+");
    }

    @Test
    void theHintAboutResumeStandsUnderTheBars() throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        TrainCommand command =
                command(JOB.formatted("long", "shapes28", 1).replace("\"epochs\": 1", "\"epochs\": 1000"), said, true);
        CompletableFuture<Integer> ended = CompletableFuture.supplyAsync(() -> run(command));
        Patience.await("a step").until(() -> said.toString(UTF_8).contains(" loss "));
        command.stop();
        assertThat(Patience.get(ended)).isEqualTo(ExitCodes.INTERRUPTED);
        assertThat(said.toString(UTF_8))
                .endsWith("job long was interrupted; --resume continues from its checkpoint" + System.lineSeparator());
    }

    /// The third run fails, so that the second is the newest finished one.
    @Test
    void saysWhatIsThereAndHowToUseTheResult() throws IOException {
        String places = " --data %s --checkpoints %s".formatted(folder.resolve("data"), folder.resolve("store"));
        String job = JOB.formatted("a", "shapes28", 1000);
        assertThat(train(job).errors().lines()).containsExactly("./trainyard predict a" + places);
        assertThat(train(job).errors().lines())
                .containsExactly(
                        "a is there already: it finished, with a checkpoint after step 10. This run is stored as a~2",
                        "./trainyard predict a~2" + places);
        assertThat(train(JOB.formatted("a", "shapes28", 60_000)).errors()).contains("This run is stored as a~3");
        CheckpointStore store =
                CheckpointStore.openToRead(folder.resolve("store").toUri());
        assertThat(Stream.of("a", "a~1", "a~2")
                        .map(name -> SavedModel.find(store, new CheckpointName(name, null))
                                .name()
                                .toString()))
                .containsExactly("a~2/10", "a/10", "a~2/10");
    }

    @Test
    void resumesAFinishedRunWithMoreEpochs() throws IOException {
        String job = JOB.formatted("a", "shapes28", 1000);
        assertThat(train(job).finished()).containsExactly("a");
        Ended more = train(job, "--resume", "--epochs", "3");
        assertThat(more.finished()).containsExactly("a");
        assertThat(more.events().stream().filter(EpochTested.class::isInstance)).hasSize(2);
        assertThat(more.errors()).contains("This run is stored as a~2", "./trainyard predict a~2");
        assertThat(train(job, "--epochs", "3").status()).isEqualTo(ExitCodes.BAD_INPUT);
    }

    /// The same lines as on standard output, after the command.
    @Test
    void eachRunHasAFileOfItsEventsForTheDashboard() throws IOException {
        Path runs = folder.resolve("runs");
        String job = JOB.formatted("a", "shapes28", 1000);
        List<String> first = train(job).lines();
        assertThat(tracked(folder.resolve("store/a"))).isNotEmpty().isEqualTo(first);
        List<String> second = train(job, "--tracking", runs.toString()).lines();
        assertThat(tracked(runs.resolve("a~2"))).isEqualTo(second);
        assertThat(folder.resolve("store/a~2").resolve(RunLog.FILE)).doesNotExist();
        assertThat(train(job, "--no-tracking").finished()).containsExactly("a");
        assertThat(folder.resolve("store/a~3").resolve(RunLog.FILE)).doesNotExist();
        assertThat(train(job, "--no-tracking", "--tracking", "x").status()).isEqualTo(ExitCodes.BAD_INPUT);
    }

    @Test
    void aTrackingFolderThatCannotBeWrittenIsReportedOnceAndDoesNotStopTraining() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        String jobs = JOB.formatted("a", "shapes28", 1000) + JOB.formatted("b", "shapes28", 1000);
        Ended ended = train(jobs, "--tracking", file.toString());
        assertThat(ended.finished()).containsExactly("a", "b");
        assertThat(ended.errors()).containsOnlyOnce("cannot be written").contains("./trainyard predict b");
    }

    private static List<String> tracked(Path run) throws IOException {
        return Files.readAllLines(run.resolve(RunLog.FILE)).stream().skip(1).toList();
    }

    private Ended train(String jobs, String... options) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> more = new ArrayList<>(List.of(options));
        more.add("--json");
        int status = run(
                TestCommands.with(new TrainCommand(), terminal(jobs, out, err, false)), more.toArray(String[]::new));
        List<TrainingEvent> events = new ArrayList<>();
        List<String> lines = out.toString(UTF_8).lines().toList();
        for (String line : lines) {
            events.add(EventJson.readEvent(line.getBytes(UTF_8)).event());
        }
        return new Ended(status, lines, events, err.toString(UTF_8));
    }

    /// @param said receives both streams, as a terminal does
    private static TrainCommand command(String jobs, ByteArrayOutputStream said, boolean interactive) {
        return TestCommands.with(new TrainCommand(), terminal(jobs, said, said, interactive));
    }

    private static Terminal terminal(
            String jobs, ByteArrayOutputStream out, ByteArrayOutputStream err, boolean interactive) {
        return new Terminal(
                new ByteArrayInputStream(jobs.getBytes(UTF_8)),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                interactive);
    }

    private int run(TrainCommand command, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "-",
                "--device",
                "cpu",
                "--data",
                folder.resolve("data").toString(),
                "--checkpoints",
                folder.resolve("store").toString()));
        arguments.addAll(List.of(more));
        return Trainyard.commandLine(command).execute(arguments.toArray(String[]::new));
    }
}
