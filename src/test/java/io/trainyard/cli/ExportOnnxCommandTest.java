package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.data.DataRoots;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Exports of a classification of images and a regression of rows, each after one epoch.
class ExportOnnxCommandTest {
    private static final String IMAGES = """
        {"id": "a", "dataset": {"name": "shapes28", "normalize": {"mean": [0.5], "std": [0.25]}}, "epochs": 1,
         "batchSize": 100, "optimizer": {"type": "sgd", "learningRate": 0.1},
         "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}}\
        """;
    private static final String ROWS = """
        {"id": "b", "dataset": {"name": "rows", "standardizeTargets": true}, "epochs": 1, "batchSize": 2,
         "optimizer": {"type": "sgd", "learningRate": 0.001},
         "network": {"layers": [{"type": "linear", "out": 1}]}, "loss": {"type": "mse"}}\
        """;

    @TempDir
    private static Path folder;

    private record Ended(int status, String output, String errors) {}

    @BeforeAll
    static void train() throws IOException {
        Path rows = Files.createDirectories(folder.resolve("rows"));
        assertThat(Files.writeString(rows.resolve("train.csv"), "x,z,y\n1,2,3\n4,5,6\n7,9,8\n"))
                .exists();
        assertThat(Files.writeString(rows.resolve("test.csv"), "x,z,y\n10,20,5\n-3,4,8\n"))
                .exists();
        assertThat(Files.writeString(rows.resolve("dataset.json"), """
            {"kind": "csv", "targets": ["y"],
             "normalize": {"mean": [4, 5], "std": [2, 4]}}\
            """)).exists();
        for (String job : new String[] {IMAGES, ROWS}) {
            var spec = JobJson.read(job.getBytes(UTF_8));
            var store = CheckpointStore.open(folder.resolve("store").toUri());
            assertThat(new JobTraining(DataRoots.ofFolder(folder), new DeviceSpec("cpu"), 1, "test")
                            .run(spec, new JobFolder(store, spec.id()), Supervisor.of(_ -> {}, () -> false)))
                    .isInstanceOf(Outcome.Finished.class);
        }
        Path model = folder.resolve("store/a/checkpoints/step-0000000100-1.safetensors");
        assertThat(Files.copy(model, folder.resolve("lone.safetensors"))).exists();
        assertThat(Files.writeString(folder.resolve("there.onnx"), "kept")).exists();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        none                       | `there is no checkpoint "none": no job of that id has saved one in `
        a/7                        | `there is no checkpoint "a/7"; there are the steps 100 in `
        a/x                        | `the checkpoint is "a/x"; allowed is a job's id`
        a --output DIR/there.onnx  | `DIR/there.onnx is there already; name another file with --output, or let it be replaced with --force`
        a --output DIR             | `DIR is a folder; name a file with --output`
        a --output DIR/no/x.onnx   | `DIR/no/x.onnx cannot be written: java.nio.file.NoSuchFileException: `
        a --network fashion        | `the checkpoint a/100 does not fit the network (fashion): parameter conv1.weight is missing`
        DIR/lone.safetensors --output DIR/new.onnx | `there is no spec.json next to DIR/lone.safetensors that names its network`
        """, quoteCharacter = '`')
    void reportsAWrongInputInASentence(String arguments, String sentence) {
        String here = folder.toString();
        Ended ended = export(arguments.replace("DIR", here).split(" ", -1));
        assertThat(ended.errors()).startsWith(sentence.replace("DIR", here));
        assertThat(ended.status()).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(folder.resolve("there.onnx")).hasContent("kept");
        assertThat(folder.resolve("new.onnx")).doesNotExist();
        assertThat(Path.of("a.onnx")).doesNotExist();
    }

    @Test
    void aFileSaysWhatItTakesAndGives() throws OrtException {
        Path file = folder.resolve("a.onnx");
        for (String force : new String[] {"--output", "--force --output"}) {
            Ended ended = export(("a/best " + force + " " + file).split(" ", -1));
            assertThat(ended.output()).isEqualTo("exported a/100 to %s: input 1x28x28, logits 10\n".formatted(file));
        }
        try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
            Map<String, String> metadata = session.getMetadata().getCustomMetadata();
            assertThat(metadata)
                    .containsEntry("job", "a")
                    .containsEntry("step", "100")
                    .containsEntry("checkpoint", "a/100")
                    .containsEntry("dataset", "shapes28")
                    .containsKey("input");
            assertThat(metadata.get("classes")).startsWith("[\"").contains("\",\"");
        }
    }

    /// The rows of the test part; the scales of the dataset and of the targets are part of the file.
    @Test
    void aRegressionHasThePredictionsOfPredict() throws OrtException {
        Path file = folder.resolve("b.onnx");
        assertThat(export("b", "--output", file.toString()).errors()).isEmpty();
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        float[] found = new float[2];
        try (OrtSession session = environment.createSession(file.toString());
                OnnxTensor rows = OnnxTensor.createTensor(
                        environment, FloatBuffer.wrap(new float[] {10, 20, -3, 4}), new long[] {2, 2});
                OrtSession.Result result = session.run(Map.of("input", rows))) {
            assertThat(session.getMetadata().getCustomMetadata()).doesNotContainKey("classes");
            OnnxTensor prediction = (OnnxTensor) result.get("prediction").orElseThrow();
            var _ = prediction.getFloatBuffer().get(found);
        }
        double[] expected = run(new PredictCommand(), "b", "--threads", "1")
                .output()
                .lines()
                .skip(1)
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)))
                .toArray();
        assertThat(expected).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertThat((double) found[i]).isCloseTo(expected[i], within(1e-5));
        }
    }

    @Test
    void otherFormatsNeedAFolder() {
        assertThat(run(new ExportCommand(), "csv").errors()).startsWith("Missing required option: '--output=DIR'");
        assertThat(run(new ExportCommand()).errors()).startsWith("Missing required parameter: 'FORMAT'");
    }

    private static Ended export(String... arguments) {
        return run(new ExportOnnxCommand(), arguments);
    }

    private static Ended run(PlainCommand command, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream errors = new PrintStream(err, true, UTF_8);
        Terminal terminal =
                new Terminal(InputStream.nullInputStream(), new PrintStream(out, true, UTF_8), errors, false);
        Stream<String> places = command instanceof ExportCommand
                ? Stream.of()
                : Stream.of(
                        "--data",
                        folder.toString(),
                        "--checkpoints",
                        folder.resolve("store").toString());
        int status = TestCommands.commandLine(command, terminal)
                .setErr(new PrintWriter(errors, true, UTF_8))
                .execute(Stream.concat(Stream.of(arguments), places).toArray(String[]::new));
        return new Ended(status, out.toString(UTF_8), err.toString(UTF_8));
    }
}
