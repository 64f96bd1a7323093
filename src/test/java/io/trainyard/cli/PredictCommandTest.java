package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DataRoots;
import io.trainyard.data.Dataset;
import io.trainyard.data.Datasets;
import io.trainyard.data.Samples;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One epoch on the built-in shapes, then predictions of the result.
class PredictCommandTest {
    private static final String JOB = """
            {"id": "a", "dataset": {"name": "shapes28", "normalize": {"mean": [0.5], "std": [0.25]}}, "epochs": 1,
             "batchSize": 50, "optimizer": {"type": "sgd", "learningRate": 0.1},
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}}""";
    private static final int TESTS = 1000;

    @TempDir
    private static Path folder;

    private static Path model;
    private static EpochTested tested;

    private record Ended(int status, List<String> lines, String errors) {}

    @BeforeAll
    static void train() throws IOException {
        List<TrainingEvent> events = new ArrayList<>();
        var store = CheckpointStore.open(folder.resolve("store").toUri());
        Outcome outcome = new JobTraining(DataRoots.ofFolder(folder), new DeviceSpec("cpu"), 1, "test")
                .run(
                        JobJson.read(JOB.getBytes(UTF_8)),
                        new JobFolder(store, "a"),
                        Supervisor.of(events::add, () -> false));
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        tested = events.stream()
                .filter(EpochTested.class::isInstance)
                .map(EpochTested.class::cast)
                .findFirst()
                .orElseThrow();
        model = folder.resolve("store/a/checkpoints/step-0000000200-1.safetensors");
        assertThat(Files.copy(model, folder.resolve("lone.safetensors"))).exists();
        assertThat(Files.writeString(folder.resolve("job.json"), JOB)).exists();
        assertThat(Files.writeString(
                        folder.resolve("layers.yaml"), "layers:\n- type: flatten\n- {type: linear, out: 10}\n"))
                .exists();
    }

    @Test
    void predictionsEqualTheTestAfterTheEpoch() throws IOException {
        Ended ended = predict("a");
        assertThat(ended.status()).as(ended.errors()).isZero();
        assertThat(ended.lines()).hasSize(1 + TESTS);
        assertThat(ended.lines().getFirst()).isEqualTo("index,label,predicted,p0,p1,p2,p3,p4,p5,p6,p7,p8,p9");
        int[][] confusion = new int[10][10];
        for (int i = 0; i < TESTS; i++) {
            double[] row = row(ended.lines().get(1 + i));
            assertThat(row[0]).isEqualTo(i);
            confusion[(int) row[1]][(int) row[2]]++;
            double[] probabilities = Arrays.copyOfRange(row, 3, row.length);
            assertThat(Arrays.stream(probabilities).sum()).isCloseTo(1, within(1e-5));
            assertThat(row[3 + (int) row[2]])
                    .isEqualTo(Arrays.stream(probabilities).max().orElseThrow());
        }
        assertThat(confusion).isDeepEqualTo(tested.confusion());
        long right = Math.round(Objects.requireNonNull(tested.testAccuracy()) * TESTS);
        assertThat(ended.errors().strip())
                .isEqualTo("a/200 on shapes28, device cpu: %d of %d right".formatted(right, TESTS));
        Path results = folder.resolve("store/a/results");
        assertThat(results.resolve("predictions.csv")).hasContent(String.join("\n", ended.lines()));
        assertWorst(results, ended.lines());
    }

    /// The wrong samples with the smallest probabilities of their class, and their images.
    private static void assertWorst(Path results, List<String> lines) throws IOException {
        List<double[]> wrong = lines.stream()
                .skip(1)
                .map(PredictCommandTest::row)
                .filter(row -> row[1] != row[2])
                .sorted(Comparator.comparingDouble(row -> row[3 + (int) row[1]]))
                .limit(24)
                .toList();
        JsonNode mistakes =
                new JsonMapper().readTree(results.resolve("mistakes.json").toFile());
        assertThat(mistakes).hasSize(wrong.size()).isNotEmpty();
        byte[] planes = new byte[28 * 28];
        Dataset shapes = new DataRoot(folder).open(DatasetSpec.named("shapes28"));
        for (int i = 0; i < wrong.size(); i++) {
            double[] row = wrong.get(i);
            assertThat(mistakes.get(i).path("index").asInt()).isEqualTo((int) row[0]);
            assertThat(mistakes.get(i).path("probability").asDouble()).isEqualTo(row[3 + (int) row[1]]);
            assertThat(mistakes.get(i).path("predictedProbability").asDouble()).isEqualTo(row[3 + (int) row[2]]);
            ((Samples.Pixels) shapes.test().samples()).read((long) row[0] * planes.length, planes);
            Raster image = ImageIO.read(
                            results.resolve("mistake-%d.png".formatted(i)).toFile())
                    .getRaster();
            byte[] read = (byte[]) image.getDataElements(0, 0, 28, 28, null);
            assertThat(read).isEqualTo(planes);
        }
    }

    @Test
    void asJsonItNamesTheClasses() throws IOException {
        List<String> names = Datasets.find("shapes28").orElseThrow().classNames();
        List<String> lines = predict("a", "--json", "--limit", "20").lines();
        assertThat(lines).hasSize(20);
        for (String line : lines) {
            JsonNode sample = new JsonMapper().readTree(line);
            assertThat(sample.path("labelName").asText())
                    .isEqualTo(names.get(sample.path("label").asInt()));
            assertThat(sample.path("predictedName").asText())
                    .isEqualTo(names.get(sample.path("predicted").asInt()));
            assertThat(sample.path("probabilities")).hasSize(10);
        }
    }

    @Test
    void aCheckpointHasSeveralNames() {
        List<String> lines = predict("a").lines();
        assertThat(predict("a/200").lines()).isEqualTo(lines);
        assertThat(predict(model.toString()).lines()).isEqualTo(lines);
        assertThat(predict("a", "--dataset", "shapes28").lines()).isEqualTo(lines);
        String dataset = "{\"name\": \"shapes28\", \"normalize\": {\"mean\": [0.5], \"std\": [0.25]}}";
        for (String network : List.of("job.json", "layers.yaml")) {
            Ended lone = predict(
                    folder.resolve("lone.safetensors").toString(),
                    "--network",
                    folder.resolve(network).toString(),
                    "--dataset",
                    dataset,
                    "--batch",
                    "50");
            assertThat(lone.lines()).as(lone.errors()).isEqualTo(lines);
        }
        assertThat(predict("a", "--dataset", "{\"name\": \"shapes28\"}").lines())
                .as("not normalized")
                .isNotEqualTo(lines);
    }

    @Test
    void writesOnlyTheFirstAndToAFile() throws IOException {
        Path file = folder.resolve("out.csv");
        Ended ended = predict("a", "--limit", "3", "--output", file.toString());
        assertThat(ended.lines()).isEmpty();
        assertThat(ended.errors()).endsWith(" of 3 right\n");
        assertThat(Files.readAllLines(file)).hasSize(4);
        List<String> all = predict("a").lines();
        List<String> some = Files.readAllLines(file);
        for (int i = 1; i < some.size(); i++) {
            assertThat(row(some.get(i))).containsExactly(row(all.get(i)), within(1e-6));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        b                            | `there is no checkpoint "b": no job of that id has saved one in `
        a/7                          | `there is no checkpoint "a/7"; there are the steps 200 in `
        a_b                          | `the checkpoint is "a b"; allowed is a job's id, or a job's id and a step or "best", such as "tudui-1", "tudui-1/7820" or "tudui-1/best", or a file of the store, such as "pretrained/resnet18.safetensors", or the path of a file that ends in .safetensors`
        none.safetensors             | `there is no file none.safetensors`
        x.training.safetensors       | `x.training.safetensors is a checkpoint's training state; the model is in x.safetensors`
        DIR/job.safetensors          | `DIR/job.safetensors cannot be read: it does not begin with the length of a safetensors header`
        DIR/lone.safetensors         | `there is no spec.json next to DIR/lone.safetensors that names its network; name it with --network, one of `
        DIR/lone.safetensors --network lenet | `there is no spec.json next to DIR/lone.safetensors that names its dataset; name it with --dataset, one of `
        a --network fashion          | `the checkpoint a/200 does not fit the network (fashion): parameter conv1.weight is missing; expected is float32 of shape 6x1x5x5`
        a --network vgg              | `network is "vgg"; allowed is one of `
        a --network none.json        | `none.json: there is no such file`
        a --dataset cifar11          | `dataset cifar11 is not there: the data root `
        a --dataset {                | `--dataset is not JSON: `
        a --dataset shapes32         | `dataset.normalize has 1 means and stds, but the images have 3 channels`
        a --batch 0                  | `--batch is 0; allowed is 1 to 65536`
        a --images DIR --csv DIR     | `--images and --csv are given; leave out one of the two`
        a --csv DIR/job.json         | `dataset shapes28 is not a table, so the columns of `
        a --limit 0                  | `--limit is 0; allowed is 1 to 2147483647`
        a --output DIR               | `--output is DIR, a folder; name a file in an existing folder`
        a --output DIR/no/x.csv      | `--output is DIR/no/x.csv, whose folder is not there; name a file in an existing folder`
        a --device cuda:999          | `no device "cuda`
        """)
    void reportsAWrongInputInASentence(String arguments, String sentence) throws IOException {
        String here = folder.toString();
        assertThat(Files.writeString(folder.resolve("job.safetensors"), "{}")).exists();
        Ended ended = predict(Stream.of(arguments.split(" ", -1))
                .map(argument -> argument.replace('_', ' ').replace("DIR", here))
                .toArray(String[]::new));
        assertThat(ended.status()).as(ended.errors()).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(ended.errors()).startsWith(sentence.replace("DIR", here));
        assertThat(ended.lines()).isEmpty();
    }

    /// The images of the test part, read as new ones: in one folder, with a broken file and one of another size.
    @Test
    void newImagesAreReadAsTheDatasets() throws IOException {
        Path data = folder.resolve("data");
        for (String file : List.of("train/cat/1", "train/dog/1", "test/cat/1", "test/cat/2", "test/dog/1")) {
            image(data.resolve("pets/" + file + ".png"), 12, 16, file.hashCode());
        }
        trained(data, """
                {"id": "pets", "dataset": {"name": "pets", "resize": 8, "normalize": {"mean": [0.5, 0.4, 0.3],
                 "std": [0.2, 0.3, 0.4]}}, "epochs": 1, "batchSize": 2, "optimizer": {"type": "sgd",
                 "learningRate": 0.1}, "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 2}]}}""");
        List<String> tests = predict("pets", "--data", data.toString()).lines();
        assertThat(tests.get(1)).startsWith("cat/1.png,0,");
        Path fresh = folder.resolve("fresh");
        image(fresh.resolve("a, b.png"), 12, 16, "test/cat/1".hashCode());
        image(fresh.resolve("c.png"), 12, 16, "test/cat/2".hashCode());
        image(fresh.resolve("dog/x/1.png"), 12, 16, "test/dog/1".hashCode());
        image(fresh.resolve("tall.png"), 12, 40, 1);
        assertThat(Files.writeString(fresh.resolve("broken.jpg"), "no picture")).exists();
        Ended ended = predict("pets", "--data", data.toString(), "--images", fresh.toString());
        assertThat(ended.status()).as(ended.errors()).isZero();
        List<String> lines = ended.lines();
        assertThat(lines).hasSize(4).element(0).isEqualTo("file,label,predicted,p0,p1");
        for (int i = 1; i < lines.size(); i++) {
            String name = List.of("\"a, b.png\",", "c.png,", "dog/x/1.png,1").get(i - 1);
            assertThat(lines.get(i))
                    .startsWith(name + ",")
                    .endsWith(tests.get(i).replaceFirst(".*?,\\d,", ""));
        }
        assertThat(ended.errors())
                .contains("left out: broken.jpg: ")
                .contains("left out: tall.png: it becomes 8 x 26 pixels, and the network takes 8 x 10 (width x height)")
                .contains("fresh, device cpu: ")
                .endsWith(" of 1 right; left out: 2\n");
        assertThat(predict("pets", "--data", data.toString(), "--images", fresh.toString(), "--json")
                        .lines()
                        .getFirst())
                .startsWith("{\"file\":\"a, b.png\",\"label\":null,\"predicted\":")
                .contains("\"labelName\":null,\"predictedName\":\"");
        Ended nothing = predict(
                "pets",
                "--data",
                data.toString(),
                "--images",
                folder.resolve("none").toString());
        assertThat(nothing.errors()).endsWith("none is not there; name a folder of images\n");
    }

    /// The test file with and without its labels.
    @ParameterizedTest
    @CsvSource({"label;;yes;no, [0-2] of 2 right", "targets;;1;-2, mean absolute error"})
    void newRowsAreReadAsTheDatasets(String kind, String quality) throws IOException {
        String[] words = kind.split(";");
        boolean classes = words[0].equals("label");
        Path data = folder.resolve("tables-" + words[0]);
        Path table = Files.createDirectories(data.resolve("table"));
        String yes = words[2].strip();
        String no = words[3].strip();
        write(table.resolve("train.csv"), "a,y,b\n1,%s,2\n3,%s,4\n".formatted(yes, no));
        write(table.resolve("test.csv"), "a,y,b\n5,%s,6\n0.5,%s,8\n".formatted(yes, no));
        write(
                table.resolve("dataset.json"),
                classes
                        ? "{\"kind\": \"csv\", \"label\": \"y\", \"classNames\": [\"yes\", \"no\"]}"
                        : "{\"kind\": \"csv\", \"targets\": [\"y\"]}");
        String job = "rows-" + words[0];
        trained(data, """
                {"id": "%s", "dataset": "table", "epochs": 1, "batchSize": 2, "optimizer": {"type": "sgd",
                 "learningRate": 0.01}, "loss": {"type": "%s"}, "network": {"layers": [{"type": "linear", "out": %d}]}}""".formatted(job, classes ? "crossEntropy" : "mse", classes ? 2 : 1));
        List<String> tests = predict(job, "--data", data.toString()).lines();
        Ended same = predict(
                job,
                "--data",
                data.toString(),
                "--csv",
                table.resolve("test.csv").toString());
        assertThat(same.lines()).as(same.errors()).isEqualTo(tests);
        assertThat(same.errors()).containsPattern(quality);
        Path fresh = write(folder.resolve(job + ".csv"), "b,extra,a\n6,?,5\n8,?,0.5\n");
        Ended ended = predict(job, "--data", data.toString(), "--csv", fresh.toString());
        assertThat(ended.lines()).hasSize(3);
        String known = classes ? "\\d,(\\d)," : "[^,]*,(.*)";
        for (int i = 1; i < 3; i++) {
            assertThat(ended.lines().get(i))
                    .isEqualTo(tests.get(i).replaceFirst("," + known, classes ? ",,$1," : ",,$1"));
        }
        assertThat(ended.errors()).endsWith(job + ".csv, device cpu: 2 predictions\n");
        write(fresh, "b,a\n6,x\n");
        assertThat(predict(job, "--data", data.toString(), "--csv", fresh.toString())
                        .errors())
                .contains("\"x\" in line 2, column a; expected a number");
        write(fresh, "b\n6\n");
        assertThat(predict(job, "--data", data.toString(), "--csv", fresh.toString())
                        .errors())
                .contains("expected one named a");
    }

    private static Path write(Path file, String text) throws IOException {
        return Files.writeString(file, text);
    }

    private static void image(Path file, int width, int height, int seed) throws IOException {
        assertThat(Files.createDirectories(file.getParent())).exists();
        BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(seed);
        for (int i = 0; i < width * height; i++) {
            picture.setRGB(i % width, i / width, random.nextInt());
        }
        assertThat(ImageIO.write(picture, "png", file.toFile())).isTrue();
    }

    private static void trained(Path data, String job) {
        JobSpec spec = JobJson.read(job.getBytes(UTF_8));
        CheckpointStore store = CheckpointStore.open(folder.resolve("store").toUri());
        assertThat(new JobTraining(DataRoots.ofFolder(data), new DeviceSpec("cpu"), 1, "test")
                        .run(spec, new JobFolder(store, spec.id()), Supervisor.of(_ -> {}, () -> false)))
                .isInstanceOf(Outcome.Finished.class);
    }

    @Test
    void doesNotCreateAMissingStore() {
        Path nowhere = folder.resolve("nowhere");
        Ended ended = execute("a", "--checkpoints", nowhere.toString());
        assertThat(ended.status()).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(ended.errors())
                .startsWith(
                        "the checkpoint store %s is not there; name the folder that a job saved to".formatted(nowhere));
        assertThat(nowhere).doesNotExist();
    }

    private static double[] row(String line) {
        return Stream.of(line.split(",", -1)).mapToDouble(Double::parseDouble).toArray();
    }

    /// The weights of the best epoch, by name and by file.
    @Test
    void predictsStandardizedTargetsInTheUnitsOfTheDataset() throws IOException {
        Path data = Path.of("src/test/resources/golden/own-data");
        JsonNode recorded = new JsonMapper()
                .readTree(Files.readAllLines(data.resolve("losses.json")).getLast());
        JobSpec job = JobJson.read(((ObjectNode) recorded.get("job")).put("id", "houses"));
        JobFolder results =
                new JobFolder(CheckpointStore.open(folder.resolve("store").toUri()), "houses");
        assertThat(new JobTraining(DataRoots.ofFolder(data), new DeviceSpec("cpu"), 1, "test")
                        .run(job, results, Supervisor.of(_ -> {}, () -> false)))
                .isInstanceOf(Outcome.Finished.class);
        Ended ended = predict("houses/best", "--data", data.toString());
        assertThat(ended.lines().get(1)).startsWith("0," + targets(data));
        JsonNode predictions = recorded.get("predictions");
        assertThat(ended.lines()).hasSize(1 + predictions.size());
        for (int i = 0; i < predictions.size(); i++) {
            double[] row = row(ended.lines().get(1 + i));
            assertThat(row[3]).isCloseTo(predictions.get(i).get(0).asDouble(), withinPercentage(0.01));
            assertThat(row[4]).isCloseTo(predictions.get(i).get(1).asDouble(), withinPercentage(0.01));
        }
        assertThat(folder.resolve("store/houses/results/predictions.csv")).hasContent(String.join("\n", ended.lines()));
        int step = Integer.parseInt(ended.errors().replaceAll("(?s)^houses/(\\d+) on .*", "$1"));
        Path best = folder.resolve("store/houses/checkpoints/step-%010d-1.safetensors".formatted(step));
        String table = data.resolve("houses/test.csv").toString();
        assertThat(predict(best.toString(), "--data", data.toString(), "--csv", table)
                        .lines())
                .isEqualTo(ended.lines());
    }

    private static String targets(Path data) throws IOException {
        String[] row =
                Files.readAllLines(data.resolve("houses/test.csv")).get(1).split(",");
        return Float.parseFloat(row[2]) + "," + Float.parseFloat(row[4]);
    }

    private static Ended predict(String... arguments) {
        return execute(Stream.concat(
                        Stream.of(
                                "--threads",
                                "1",
                                "--checkpoints",
                                folder.resolve("store").toString()),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static Ended execute(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream errors = new PrintStream(err, true, UTF_8);
        Terminal terminal =
                new Terminal(InputStream.nullInputStream(), new PrintStream(out, true, UTF_8), errors, false);
        int status = TestCommands.commandLine(new PredictCommand(), terminal)
                .setErr(new PrintWriter(errors, true, UTF_8))
                .execute(arguments);
        return new Ended(status, out.toString(UTF_8).lines().toList(), err.toString(UTF_8));
    }
}
