package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.device.check.NonFiniteCase;
import io.trainyard.device.check.NonFiniteCases;
import io.trainyard.device.check.NonFiniteRun;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.LayerSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The reference handles non-finite values as PyTorch does, recorded by not_finite.py in src/test/python. The
/// script describes the file.
class NonFiniteGoldenTest {
    private static final String RECORDED = "/golden/not-finite.jsonl";

    /// Losses are recorded with six digits.
    private static final double TOLERANCE = 1e-4;

    private static Map<String, JsonNode> recorded() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                .build();
        Map<String, JsonNode> rows = new LinkedHashMap<>();
        try (InputStream in =
                Objects.requireNonNull(NonFiniteGoldenTest.class.getResourceAsStream(RECORDED), RECORDED)) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                JsonNode row = mapper.readTree(line);
                rows.put(row.get("name").asText(), row);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + RECORDED, e);
        }
        return rows;
    }

    @Test
    void everyRowIsRecorded() {
        assertThat(recorded().keySet())
                .containsExactlyElementsOf(
                        NonFiniteCases.all().stream().map(NonFiniteCase::name).toList());
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.NonFiniteCases#all")
    void theReferenceMatchesPyTorch(NonFiniteCase row) {
        JsonNode recorded = Objects.requireNonNull(recorded().get(row.name()));
        assertThat(layers(recorded.get("layers"))).isEqualTo(row.layers());
        NonFiniteRun run;
        try (LearningSession session = ReferenceComparison.reference().open(row.workload())) {
            run = NonFiniteRun.of(session, row);
        }
        requireClose("probability", recorded.get("probabilities"), doubles(run.probabilities()));
        requireClose("loss", recorded.get("losses"), doubles(run.losses()));
        requireClose("test loss", recorded.get("test_loss"), run.testLossSum());
        recorded.get("gradients")
                .properties()
                .forEach(expected -> assertThat(pattern(TestState.values(run.gradients(), expected.getKey())))
                        .as(expected.getKey())
                        .isEqualTo(expected.getValue().asText()));
    }

    private static List<LayerSpec> layers(JsonNode layers) {
        ObjectNode job =
                new JsonMapper().createObjectNode().put("dataset", "shapes32").put("epochs", 1);
        job.putObject("network").set("layers", layers);
        return JobJson.read(job.put("id", "recorded")).network().layers();
    }

    private static double[] doubles(float[] values) {
        double[] doubles = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            doubles[i] = values[i];
        }
        return doubles;
    }

    private static void requireClose(String what, JsonNode expected, double... actual) {
        List<JsonNode> values = expected.isArray()
                ? StreamSupport.stream(expected.spliterator(), false).toList()
                : List.of(expected);
        assertThat(actual).hasSameSizeAs(values.toArray());
        for (int i = 0; i < actual.length; i++) {
            double value = values.get(i).doubleValue();
            boolean same = Double.isFinite(value)
                    ? Math.abs(actual[i] - value) <= TOLERANCE * Math.max(1, Math.abs(value))
                    : Double.compare(actual[i], value) == 0;
            assertThat(same)
                    .as("%s[%d] is %s, PyTorch's is %s", what, i, actual[i], value)
                    .isTrue();
        }
    }

    /// A pattern of finite values (.), NaN (N) and infinities (+ and -), run-length encoded.
    private static String pattern(float[] values) {
        StringBuilder pattern = new StringBuilder();
        int from = 0;
        for (int i = 1; i <= values.length; i++) {
            if (i == values.length || kind(values[i]) != kind(values[from])) {
                pattern.append(i - from).append(kind(values[from])).append(i == values.length ? "" : " ");
                from = i;
            }
        }
        return pattern.toString();
    }

    private static char kind(float value) {
        return Float.isFinite(value) ? '.' : Float.isNaN(value) ? 'N' : value > 0 ? '+' : '-';
    }
}
