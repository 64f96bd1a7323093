package io.trainyard.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
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
                new TrainingEvent.Claimed("a", 1, "w", "cpu"),
                new TrainingEvent.Started(
                        "a",
                        1,
                        spec,
                        "cpu",
                        2,
                        3,
                        4,
                        5,
                        6,
                        7,
                        List.of(new TrainingEvent.Parameter("1.weight", Shape.of(10, 3072), "cpu")),
                        new CheckpointName("b", 9L)),
                new TrainingEvent.StepLosses("a", 1, 0, 1, new float[] {2.5f, 0.1f}, 100),
                new TrainingEvent.StepLosses("a", 1, 0, 1, new float[] {2.5f}, 100, 0.05),
                new TrainingEvent.EpochTested(
                        "a",
                        1,
                        0,
                        2,
                        1.5,
                        3.5,
                        0.5,
                        0.25,
                        0.75,
                        new double[] {1, 0},
                        new int[][] {{1, 0}, {1, 0}},
                        5,
                        6,
                        7.5),
                new TrainingEvent.CheckpointSaved("a", 1, "file:///m", "ab", 10, 0, 2),
                new TrainingEvent.Finished("a", 1, 2, 0.5, 50.5, 60.5, 70.5, 100, "cd", null),
                new TrainingEvent.Finished("a", 1, 2, 0.5, 50.5, 60.5, 70.5, 100, "cd", "because"),
                new TrainingEvent.Failed("a", 1, "because"),
                new TrainingEvent.Released("a", 1, 1, "stop"));
    }

    @ParameterizedTest
    @MethodSource("events")
    void readsWhatItWrote(TrainingEvent event) throws IOException {
        byte[] json = EventJson.write(event);
        assertThat(EventJson.readEvent(json)).usingRecursiveComparison().isEqualTo(event);
    }

    /// JSON has no numbers for them.
    @Test
    void lossesThatAreNotFiniteAreTexts() throws IOException {
        float[] losses = {2.5f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
        byte[] json = EventJson.write(new TrainingEvent.StepLosses("a", 1, 0, 1, losses, 100));
        assertThat(new String(json, StandardCharsets.UTF_8))
                .contains("\"losses\":[2.5,\"NaN\",\"Infinity\",\"-Infinity\"]");
        assertThat(EventJson.readEvent(json))
                .isInstanceOfSatisfying(
                        TrainingEvent.StepLosses.class,
                        read -> assertThat(read.losses()).isEqualTo(losses));
    }

    /// What was called `testLoss` before there was a `testLossSum` was the sum: a 0 there tells one from the other.
    @Test
    void aTestThatDoesNotTellTheSumIsRead() throws IOException {
        TrainingEvent test = events().filter(TrainingEvent.EpochTested.class::isInstance)
                .findFirst()
                .orElseThrow();
        String json = new String(EventJson.write(test), StandardCharsets.UTF_8);
        assertThat(json).contains("\"testLoss\":1.5,\"testLossSum\":3.5,");
        assertThat(EventJson.readEvent(json.replace("\"testLossSum\":3.5,", "").getBytes(StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(TrainingEvent.EpochTested.class, read -> {
                    assertThat(read.testLoss()).isEqualTo(1.5);
                    assertThat(read.testLossSum()).isZero();
                });
    }

    @ParameterizedTest
    @MethodSource("events")
    void writesTypeThenJobThenAttempt(TrainingEvent event) {
        String type = Character.toLowerCase(event.getClass().getSimpleName().charAt(0))
                + event.getClass().getSimpleName().substring(1);
        assertThat(new String(EventJson.write(event), StandardCharsets.UTF_8))
                .startsWith("{\"type\":\"%s\",\"job\":\"a\",\"attempt\":1,".formatted(type))
                .doesNotContain("\n");
    }

    @Test
    void writesFloatsAsShortAsTheyAre() {
        var losses = new TrainingEvent.StepLosses("a", 1, 0, 1, new float[] {0.1f}, 100);
        assertThat(new String(EventJson.write(losses), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"type\":\"stepLosses\",\"job\":\"a\",\"attempt\":1,\"epoch\":0,\"firstStep\":1,\"losses\":[0.1],\"elapsedMicros\":100}");
    }

    @Test
    void ignoresFieldsOfLaterVersions() throws IOException {
        byte[] json = "{\"type\":\"failed\",\"job\":\"a\",\"attempt\":1,\"reason\":\"x\",\"new\":{\"y\":1}}"
                .getBytes(StandardCharsets.UTF_8);
        assertThat(EventJson.readEvent(json)).isEqualTo(new TrainingEvent.Failed("a", 1, "x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "{\"type\":\"later\"}", "{\"type\":\"failed\",\"job\":\"a\",\"attempt\":1}"})
    void refusesWhatIsNoEventOrLacksAField(String json) {
        assertThatThrownBy(() -> EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }
}
