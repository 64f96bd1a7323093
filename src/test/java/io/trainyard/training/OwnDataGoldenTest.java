package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Slow;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Networks on a user's own files have the same losses as PyTorch on these files: own_data.py in
/// src/test/python.
@Slow
class OwnDataGoldenTest extends SmallJobs {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/own-data");

    static List<JsonNode> recorded() throws IOException {
        return lines("losses.json");
    }

    static List<JsonNode> continued() throws IOException {
        return lines("continued.json");
    }

    /// The script saves all state after 2 epochs, loads it into new objects and trains 2 more.
    @ParameterizedTest
    @MethodSource("continued")
    void continuesLikePyTorch(JsonNode recorded) {
        ObjectNode job = recorded.path("job").deepCopy();
        JobTraining training = new JobTraining(DataRoots.ofFolder(GOLDEN), new DeviceSpec("cpu"), 0, "tester");
        run(training, JobJson.read(job.put("id", "a")), () -> false);
        events.clear();
        run(training, JobJson.read(job.put("id", "b").put("epochs", 4).put("continueFrom", "a")), () -> false);
        DoubleStream losses = of(StepLosses.class).stream()
                .flatMapToDouble(e -> IntStream.range(0, e.losses().length).mapToDouble(i -> e.losses()[i]));
        assertNear(losses, recorded.path("losses"));
    }

    private static List<JsonNode> lines(String file) throws IOException {
        JsonMapper mapper = new JsonMapper();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(GOLDEN.resolve(file))) {
            lines.add(mapper.readTree(line));
        }
        return lines;
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void hasPyTorchsLosses(JsonNode recorded) {
        ObjectNode job = recorded.path("job").deepCopy();
        job.put("id", "golden");
        train(GOLDEN, "cpu", JobJson.read(job));
        float[] losses = losses();
        assertNear(IntStream.range(0, losses.length).mapToDouble(i -> losses[i]), recorded.path("losses"));
        assertNear(of(EpochTested.class).stream().mapToDouble(EpochTested::testLossSum), recorded.path("testLossSums"));
    }

    private static void assertNear(DoubleStream found, JsonNode expected) {
        double[] values = found.toArray();
        assertThat(values).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(values[i]).as("value %d", i).isCloseTo(expected.get(i).asDouble(), within(1e-4));
        }
    }
}
