package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Slow;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
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

    /// An evaluation has the loss of the same targets; with others it is refused, as a continued training is.
    @Test
    void evaluatesWithTheTargetsOfTheTraining() throws IOException {
        ObjectNode job = recorded().getLast().path("job").deepCopy();
        JobTraining training = new JobTraining(DataRoots.ofFolder(GOLDEN), new DeviceSpec("cpu"), 0, "tester");
        run(training, JobJson.read(job.put("id", "a")), () -> false);
        EpochTested tested = Objects.requireNonNull(((Finished) events.getLast()).test());
        ObjectNode evaluation = job.deepCopy().retain("network", "dataset", "batchSize", "loss");
        evaluation.put("kind", "evaluate").put("initFrom", "a/best");
        run(training, JobJson.read(evaluation.deepCopy().put("id", "b")), () -> false);
        assertThat(((Finished) events.getLast()).bestTestLoss()).isEqualTo(tested.testLoss());
        evaluation.withObject("/dataset").remove("standardizeTargets");
        run(training, JobJson.read(evaluation.put("id", "c")), () -> false);
        assertThat(((Failed) events.getLast()).reason())
                .contains("was trained with targets standardized by the means [219523.4, 47.8", "as in the dataset");
        job.put("id", "d").put("continueFrom", "a").put("epochs", 4);
        job.withObject("/dataset/split").put("seed", 7);
        run(training, JobJson.read(job), () -> false);
        assertThat(((Failed) events.getLast()).reason()).contains("use its dataset, with the same split");
    }

    private static void assertNear(DoubleStream found, JsonNode expected) {
        double[] values = found.toArray();
        assertThat(values).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(values[i]).as("value %d", i).isCloseTo(expected.get(i).asDouble(), within(1e-4));
        }
    }
}
