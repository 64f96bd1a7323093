package io.trainyard.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.event.ClassMetrics.OfClass;
import io.trainyard.event.TrainingEvent.EpochTested;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Compared with the values of `src/test/python/class_metrics.py`.
class ClassMetricsTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    static List<String> cases() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/golden/class-metrics.jsonl"));
    }

    /// Any client can write to a topic.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[[0, 0], [0, 0]]",
                "[[1, 2], [3]]",
                "[[1, 2], null]",
                "[[1, -1], [0, 2]]",
                "[[2000000000, 0], [0, 2000000000]]"
            })
    void anInvalidMatrixHasNone(String confusion) throws IOException {
        JsonNode event = MAPPER.readTree(SampleEvents.json(SampleEvents.tested("a", 1, 0, 10, 0.5)));
        ((ObjectNode) event).set("confusion", MAPPER.readTree(confusion));
        EpochTested tested = (EpochTested)
                EventJson.readEvent(MAPPER.writeValueAsBytes(event)).event();
        assertThat(ClassMetrics.of(tested)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void equalsTorchAndNumpy(String line) throws IOException {
        JsonNode golden = MAPPER.readTree(line);
        ClassMetrics metrics = ClassMetrics.of(MAPPER.treeToValue(golden.get("confusion"), int[][].class));
        for (int i = 0; i < metrics.classes().size(); i++) {
            OfClass found = metrics.classes().get(i);
            assertThat(found.precision()).isCloseTo(golden.at("/precision/" + i).asDouble(), within(1e-12));
            assertThat(found.recall()).isCloseTo(golden.at("/recall/" + i).asDouble(), within(1e-12));
            assertThat(found.f1()).isCloseTo(golden.at("/f1/" + i).asDouble(), within(1e-12));
            assertThat(found.precision()).isBetween(found.precisionLow(), found.precisionHigh());
            assertThat(found.recall()).isBetween(found.recallLow(), found.recallHigh());
        }
        assertThat(metrics.macroPrecision())
                .isCloseTo(golden.get("macroPrecision").asDouble(), within(1e-12));
        assertThat(metrics.macroRecall()).isCloseTo(golden.get("macroRecall").asDouble(), within(1e-12));
        assertThat(metrics.macroF1()).isCloseTo(golden.get("macroF1").asDouble(), within(1e-12));
        assertThat(metrics.macroF1Low())
                .as("bootstrap")
                .isCloseTo(golden.get("bootstrapLow").asDouble(), within(0.02));
        assertThat(metrics.macroF1High())
                .as("bootstrap")
                .isCloseTo(golden.get("bootstrapHigh").asDouble(), within(0.02));
    }
}
