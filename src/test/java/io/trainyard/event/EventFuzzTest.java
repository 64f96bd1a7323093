package io.trainyard.event;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.json;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.Slow;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobRecord.EventRecord;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Anyone can write to a topic: each record gives an event or an [IOException], and never kills a reader.
@Slow
class EventFuzzTest {
    private static final int TRIES = 10_000;

    private static final List<byte[]> TRUE = List.of(
            json(claimed("a")),
            json(started("a", 1, 1)),
            json(losses("a", 1, 0, 1, new float[] {1, Float.NaN, 3})),
            json(tested("a", 1, 0, 2, 0.5)),
            json(saved("a", 1, 0, 2)),
            json(finished("a", 1, 2)),
            json(failed("a", 1, "because")),
            json(released("a", 1, 1, "stop")),
            json(paused("a", 1, 1)),
            json(resumed("a", 1)),
            json(cancelled("a", 1, 1)),
            EventJson.write(new Control("a", DesiredState.PAUSE, RequestedPriority.LOW, SampleEvents.TIME)),
            EventJson.write(WorkerStatusBuilder.of("w", "cpu")
                    .jobs(List.of(new WorkerStatus.Job("a", 1, 0.5), new WorkerStatus.Job("b", 2, 0)))
                    .samplesPerSecond(2.5)
                    .memoryBytes(3)
                    .checkpointFailures(4)
                    .store("store")
                    .since(SampleEvents.TIME)
                    .problem("a problem")
                    .fetching(new WorkerStatus.Fetching("mnist", 1, 2))
                    .version("1.0")
                    .schemaVersion(1)
                    .slots(3)
                    .build()));

    /// Replacements for a value.
    private static final List<String> ODD = List.of(
            "null",
            "true",
            "-1",
            "2147483648",
            "1e999",
            "9".repeat(5000),
            "0." + "1".repeat(5000),
            "\"\"",
            "\"" + "x".repeat(2 << 20) + "\"",
            "\"\\ud800\"",
            "[]",
            "{}",
            "[".repeat(600) + "]".repeat(600),
            "{\"x\":".repeat(600) + "1" + "}".repeat(600),
            "[[1,2],[3]]",
            "\"+999999999-12-31T23:59:59Z\"");

    private final Random random = new Random(20251101);

    @Test
    void anyInputIsAnEventOrAnIoException() {
        JobState state = new JobState("a");
        int read = 0;
        for (int i = 0; i < TRIES; i++) {
            byte[] record = random.nextInt(10) == 0 ? bytes(random.nextInt(200)) : mutated(any(TRUE));
            Optional<TimestampedEvent> event = event(record);
            if (event.isPresent() && event.get().event().job().equals("a")) {
                read++;
                state.apply(new EventRecord(event.get().event(), i, null, random.nextInt()));
                assertThatCode(() -> new ObjectMapper().writeValueAsString(state))
                        .doesNotThrowAnyException();
            }
        }
        assertThat(read).as("those that are events still").isGreaterThan(TRIES / 20);
    }

    /// Any other error ends the test, including a StackOverflowError.
    private static Optional<TimestampedEvent> event(byte[] record) {
        try {
            var _ = EventJson.readStatus(record);
        } catch (IOException _) { // not an event
        }
        try {
            var _ = EventJson.readControl(record);
        } catch (IOException _) { // not an event
        }
        try {
            return Optional.of(EventJson.readEvent(record));
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private byte[] mutated(byte[] record) {
        byte[] mutant = record.clone();
        switch (random.nextInt(5)) {
            case 0 -> mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
            case 1 -> mutant = Arrays.copyOf(mutant, random.nextInt(mutant.length));
            case 2 -> {
                int from = random.nextInt(mutant.length);
                byte[] part = Arrays.copyOfRange(mutant, from, from + random.nextInt(mutant.length - from) + 1);
                int at = random.nextInt(mutant.length);
                System.arraycopy(part, 0, mutant, at, Math.min(part.length, mutant.length - at));
            }
            case 3 -> mutant = withOddValue(new String(mutant, UTF_8)).getBytes(UTF_8);
            default ->
                mutant = withOddValue(withOddValue(new String(mutant, UTF_8))).getBytes(UTF_8);
        }
        return mutant;
    }

    /// Replaces the value of a field.
    private String withOddValue(String json) {
        int colon = json.indexOf(':', random.nextInt(json.length()));
        int end = json.indexOf(',', Math.max(0, colon));
        return colon < 0 || end < 0 ? json : json.substring(0, colon + 1) + any(ODD) + json.substring(end);
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"x\":", "[[{\"layers\":["})
    void rejectsDeepNestingEverywhere(String opening) {
        String deep = opening.repeat(100_000);
        for (String json : List.of(
                deep,
                "{\"type\":\"failed\",\"job\":\"a\",\"attempt\":1,\"reason\":\"x\",\"later\":" + deep,
                "{\"type\":\"started\",\"job\":\"a\",\"attempt\":1,\"spec\":" + deep,
                "{\"type\":\"started\",\"spec\":{\"network\":{\"layers\":[" + deep)) {
            assertThatThrownBy(() -> EventJson.readEvent(json.getBytes(UTF_8))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void rejectsLongRecords() {
        byte[] long8MiB = new byte[EventJson.MAX_BYTES + 1];
        Arrays.fill(long8MiB, (byte) ' ');
        assertThatThrownBy(() -> EventJson.readEvent(long8MiB))
                .isInstanceOf(IOException.class)
                .hasMessage("it has 8388609 bytes; allowed is up to 8388608");
    }
}
