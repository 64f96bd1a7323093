package io.trainyard.event;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.evaluated;
import static io.trainyard.event.SampleEvents.evaluation;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.json;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.on;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventJsonTest {
    static Stream<TrainingEvent> events() {
        var spec = JobJson.read(
                "{\"id\":\"a\",\"network\":{\"layers\":[{\"type\":\"flatten\"},{\"type\":\"linear\",\"out\":10}]},\"dataset\":\"shapes32\",\"epochs\":1}"
                        .getBytes(StandardCharsets.UTF_8));
        return Stream.of(
                claimed("a"),
                started(spec, 1, 1, 7, new CheckpointName("b", 9L)),
                started(spec, 1, 8, 7, null),
                started(evaluation("a", new CheckpointName("b", 9L)), 1, 1, 7, null),
                on(new TrainingEvent.Dataset(Shape.of(1, 8, 9), List.of("no", "yes")), started(spec, 1, 1, 7, null)),
                losses("a", 1, 0, 1, 2),
                tested("a", 1, 0, 2, 0.5),
                saved("a", 1, 0, 2),
                finished("a", 1, 2),
                finished("a", 1, 2, "because"),
                failed("a", 1, "because", FailureCause.LACKING),
                released("a", 1, 1, "stop"),
                paused("a", 1, 1),
                resumed("a", 1),
                cancelled("a", 1, 1));
    }

    @ParameterizedTest
    @MethodSource("events")
    void readsWhatItWrites(TrainingEvent event) throws IOException {
        byte[] json = json(event);
        assertThat(EventJson.readEvent(json)).usingRecursiveComparison().isEqualTo(new TimestampedEvent(event, TIME));
    }

    /// Larger events would exceed the record size.
    @Test
    void limitsTheNamesOfADataset() {
        Shape shape = Shape.of(4);
        assertThat(new TrainingEvent.Dataset(shape, List.of("x".repeat(65))).classNames())
                .containsExactly("x".repeat(63) + "…");
        assertThat(new TrainingEvent.Dataset(shape, Collections.nCopies(1_000, "x")).classNames())
                .hasSize(1_000);
        assertThat(new TrainingEvent.Dataset(shape, Collections.nCopies(1_001, "x")).classNames())
                .isEmpty();
    }

    /// JSON has no numbers for them.
    @Test
    void writesNonFiniteLossesAsTexts() throws IOException {
        float[] losses = {2.5f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
        byte[] json = json(losses("a", 1, 0, 1, losses));
        assertThat(new String(json, StandardCharsets.UTF_8))
                .contains("\"losses\":[2.5,\"NaN\",\"Infinity\",\"-Infinity\"]");
        assertThat(EventJson.readEvent(json).event())
                .isInstanceOfSatisfying(
                        TrainingEvent.StepLosses.class,
                        read -> assertThat(read.losses()).isEqualTo(losses));
    }

    @Test
    void readsTestsWithoutEpochTime() throws IOException {
        TrainingEvent.EpochTested test = tested("a", 1, 0, 2, 0.5);
        String json = new String(json(test), StandardCharsets.UTF_8);
        assertThat(json)
                .endsWith(
                        "\"epochTime\":{\"stepsMicros\":8500000,\"batchesMicros\":640000,\"checkpointsMicros\":310000,\"testMicros\":800000,\"otherMicros\":190000}}");
        assertThat(epochTime(json.replaceFirst(",\"epochTime\":.*}}", "}"))).isNull();
        assertThat(epochTime(json.replaceFirst("\"batchesMicros\":\\d+,", "")))
                .isEqualTo(new TrainingEvent.EpochTime(8_500_000, null, 310_000, 800_000, 190_000));
        assertThat(epochTime(json(evaluated("a", 0, 2, 0.5)))).isNull();
    }

    private static TrainingEvent.@Nullable EpochTime epochTime(String json) throws IOException {
        return epochTime(json.getBytes(StandardCharsets.UTF_8));
    }

    private static TrainingEvent.@Nullable EpochTime epochTime(byte[] json) throws IOException {
        return ((TrainingEvent.EpochTested) EventJson.readEvent(json).event()).epochTime();
    }

    @Test
    void writesFloatsWithTheirShortestDigits() {
        var losses = losses("a", 1, 0, 1, new float[] {0.1f});
        assertThat(new String(json(losses), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"type\":\"stepLosses\",\"job\":\"a\",\"attempt\":1,\"time\":\"2026-11-22T03:04:05.678Z\",\"epoch\":0,\"firstStep\":1,\"losses\":[0.1],\"elapsedMicros\":100000,\"learningRate\":0.05}");
    }

    @Test
    void ignoresFieldsOfLaterVersions() throws IOException {
        byte[] json = "{\"type\":\"failed\",\"job\":\"a\",\"attempt\":1,\"reason\":\"x\",\"new\":{\"y\":1}}"
                .getBytes(StandardCharsets.UTF_8);
        assertThat(EventJson.readEvent(json)).isEqualTo(new TimestampedEvent(failed("a", 1, "x"), null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "{\"type\":\"later\"}", "{\"type\":\"failed\",\"job\":\"a\",\"attempt\":1}"})
    void rejectsInvalidEvents(String json) {
        assertThatThrownBy(() -> EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void rejectsInvalidIdsAndAttempts() {
        assertThatThrownBy(() -> EventJson.readEvent(json(claimed("x".repeat(201)))))
                .isInstanceOf(IOException.class)
                .hasMessage("the job's id has 201 characters; allowed is 1 to 200");
        assertThatThrownBy(() -> EventJson.readEvent(json(claimed("a", 0))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("attempts count from 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "{}", "{\"worker\":\"\"}"})
    void rejectsInvalidHeartbeats(String json) {
        assertThatThrownBy(() -> EventJson.readStatus(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }
}
