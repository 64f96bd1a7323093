package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Networks on a user's own files have the same losses as PyTorch on these files: own_data.py in
/// src/test/python.
@Slow
class OwnDataGoldenTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/own-data");

    @TempDir
    Path checkpoints;

    static List<JsonNode> recorded() throws IOException {
        JsonMapper mapper = new JsonMapper();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(GOLDEN.resolve("losses.json"))) {
            lines.add(mapper.readTree(line));
        }
        return lines;
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void hasPyTorchsLosses(JsonNode recorded) {
        ObjectNode job = recorded.path("job").deepCopy();
        job.put("id", "golden");
        List<TrainingEvent> events = new ArrayList<>();
        Outcome outcome = new JobTraining(DataRoots.ofFolder(GOLDEN), new DeviceSpec("cpu"), 0, "test")
                .run(
                        JobJson.read(job),
                        new JobFolder(CheckpointStore.open(checkpoints.toUri()), "golden"),
                        Supervisor.of(events::add, () -> false));
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        List<Double> losses = new ArrayList<>();
        List<Double> tests = new ArrayList<>();
        for (TrainingEvent event : events) {
            switch (event) {
                case StepLosses steps -> {
                    for (float loss : steps.losses()) {
                        losses.add((double) loss);
                    }
                }
                case EpochTested tested -> tests.add(tested.testLossSum());
                default -> {}
            }
        }
        assertNear(losses, recorded.path("losses"));
        assertNear(tests, recorded.path("testLossSums"));
    }

    private static void assertNear(List<Double> values, JsonNode expected) {
        assertThat(values).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(values.get(i))
                    .as("value %d", i)
                    .isCloseTo(expected.get(i).asDouble(), within(1e-4));
        }
    }
}
