package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.DataRoot;
import io.trainyard.data.Dataset;
import io.trainyard.data.Npy;
import io.trainyard.data.Samples;
import io.trainyard.data.Targets;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A dataset whose files have a validation part gives the same numbers as one of which this part is drawn.
class ValidationPartTest extends SmallJobs {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/own-data");

    /// A dataset of classes, and one of numbers to predict, whose targets are standardized.
    static List<ObjectNode> drawn() throws IOException {
        List<ObjectNode> jobs = new ArrayList<>();
        for (String line : Files.readAllLines(GOLDEN.resolve("losses.json"))) {
            JsonNode job = new JsonMapper().readTree(line).path("job");
            if (job.at("/dataset/split/validation").isNumber()) {
                jobs.add(((ObjectNode) job).put("id", "a"));
            }
        }
        assertThat(jobs).hasSize(2);
        return jobs;
    }

    @ParameterizedTest
    @MethodSource("drawn")
    void tablesAndArraysHaveAValidationPart(ObjectNode job) throws IOException {
        JobSpec asked = JobJson.read(job);
        Dataset dataset = new DataRoot(GOLDEN).open(asked.dataset());
        ObjectNode described = (ObjectNode) new JsonMapper()
                .readTree(GOLDEN.resolve(asked.dataset().name())
                        .resolve("dataset.json")
                        .toFile());
        Map<String, Dataset.Split> parts = new LinkedHashMap<>();
        parts.put("train", dataset.train());
        parts.put("validation", Objects.requireNonNull(dataset.validation()));
        parts.put("test", dataset.test());
        Path table = Files.createDirectories(root.resolve("table"));
        Path arrays = Files.createDirectories(root.resolve("arrays"));
        for (var part : parts.entrySet()) {
            writeTable(
                    table.resolve(part.getKey() + ".csv"),
                    part.getValue(),
                    dataset.shape().elements());
            writeArrays(arrays, part.getKey(), part.getValue(), dataset.shape().elements());
        }
        JsonNode normalize = described.get("normalize");
        String answers = described.has("label") ? "\"label\": \"y0\", \"classes\": 3" : "\"targets\": [\"y0\", \"y1\"]";
        Files.writeString(
                table.resolve("dataset.json"),
                "{\"kind\": \"csv\", %s, \"normalize\": %s}".formatted(answers, normalize));
        Files.writeString(
                arrays.resolve("dataset.json"), "{\"kind\": \"arrays\", \"normalize\": %s}".formatted(normalize));

        String expected = trained(GOLDEN, asked);
        job.withObject("/dataset").remove("split");
        for (String name : List.of("table", "arrays")) {
            job.withObject("/dataset").put("name", name);
            assertThat(trained(root, JobJson.read(job))).as(name).isEqualTo(expected);
        }
    }

    private static void writeTable(Path file, Dataset.Split part, int width) throws IOException {
        float[] samples = samples(part);
        float[] targets = targets(part);
        int outputs = targets.length / part.size();
        List<String> lines = new ArrayList<>();
        lines.add(Stream.concat(
                        IntStream.range(0, width).mapToObj(i -> "x" + i),
                        IntStream.range(0, outputs).mapToObj(i -> "y" + i))
                .collect(Collectors.joining(",")));
        for (int i = 0; i < part.size(); i++) {
            lines.add(row(samples, i, width) + "," + row(targets, i, outputs));
        }
        Files.write(file, lines);
    }

    private static String row(float[] values, int row, int width) {
        return IntStream.range(row * width, (row + 1) * width)
                .mapToObj(i -> Float.toString(values[i]))
                .collect(Collectors.joining(","));
    }

    private static void writeArrays(Path folder, String part, Dataset.Split split, int width) throws IOException {
        float[] targets = targets(split);
        int rows = split.size();
        Files.write(
                folder.resolve("x_%s.npy".formatted(part)),
                Npy.npy("<f4", "(%d, %d)".formatted(rows, width), Npy.floats(samples(split))));
        byte[] y = split.targets() instanceof Targets.ClassLabels(int[] labels)
                ? Npy.npy(
                        "<i8",
                        "(%d,)".formatted(rows),
                        Npy.longs(IntStream.of(labels).asLongStream().toArray()))
                : Npy.npy("<f4", "(%d, %d)".formatted(rows, targets.length / rows), Npy.floats(targets));
        Files.write(folder.resolve("y_%s.npy".formatted(part)), y);
    }

    private static float[] samples(Dataset.Split part) {
        return part.samples().memory().toArray(Samples.Values.LAYOUT);
    }

    private static float[] targets(Dataset.Split part) {
        return switch (part.targets()) {
            case Targets.Numbers(float[] values, int _) -> values;
            case Targets.ClassLabels(int[] labels) -> {
                float[] values = new float[labels.length];
                IntStream.range(0, values.length).forEach(i -> values[i] = labels[i]);
                yield values;
            }
        };
    }

    /// The losses of all steps, of the validation part after each epoch, and of the test part at the end.
    private String trained(Path data, JobSpec job) {
        train(data, "cpu", job);
        assertThat(of(Started.class).getFirst().validationSamples()).isGreaterThan(9);
        assertThat(of(EpochTested.class)).extracting(EpochTested::part).containsOnly(Part.VALIDATION);
        EpochTested test = Objects.requireNonNull(((Finished) events.getLast()).test());
        assertThat(test.part()).isEqualTo(Part.TEST);
        return Arrays.toString(losses())
                + of(EpochTested.class).stream().map(EpochTested::testLoss).toList()
                + test.epoch()
                + " " + test.testLoss();
    }
}
