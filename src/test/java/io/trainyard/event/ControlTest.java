package io.trainyard.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlTest {
    private static final Instant TIME = Instant.parse("2026-11-22T03:04:05.6789Z");

    @Test
    void writesOneLineOfJson() throws IOException {
        byte[] json = EventJson.write(new Control("a", DesiredState.CANCEL, RequestedPriority.HIGH, TIME));
        assertThat(new String(json, UTF_8))
                .isEqualTo(
                        "{\"job\":\"a\",\"desiredState\":\"cancel\",\"priority\":\"high\",\"time\":\"2026-11-22T03:04:05.678Z\"}");
        assertThat(EventJson.readControl(json))
                .isEqualTo(new Control(
                        "a", DesiredState.CANCEL, RequestedPriority.HIGH, Instant.parse("2026-11-22T03:04:05.678Z")));
    }

    @Test
    void priorityIsOptionalAndUnknownFieldsAreIgnored() throws IOException {
        byte[] json = "{\"job\":\"a\",\"desiredState\":\"run\",\"time\":\"2026-11-22T03:04:05Z\",\"by\":{\"later\":1}}"
                .getBytes(UTF_8);
        assertThat(EventJson.readControl(json))
                .isEqualTo(new Control("a", DesiredState.RUN, null, Instant.parse("2026-11-22T03:04:05Z")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "[]",
                "{}",
                "{\"job\":\"\",\"desiredState\":\"run\",\"time\":\"2026-11-22T03:04:05Z\"}",
                "{\"job\":\"a\",\"desiredState\":\"stop\",\"time\":\"2026-11-22T03:04:05Z\"}",
                "{\"job\":\"a\",\"desiredState\":0,\"time\":\"2026-11-22T03:04:05Z\"}",
                "{\"job\":\"a\",\"desiredState\":\"run\",\"priority\":\"urgent\",\"time\":\"2026-11-22T03:04:05Z\"}",
                "{\"job\":\"a\",\"desiredState\":\"run\"}",
                "{\"job\":\"a\",\"desiredState\":\"run\",\"time\":\"yesterday\"}",
                "{\"job\":\"a\",\"desiredState\":\"run\",\"time\":\"+10000-01-01T00:00:00Z\"}",
                "{\"job\":\"a\",\"desiredState\":\"run\",\"time\":{}}"
            })
    void rejectsInvalidRequests(String json) {
        assertThatThrownBy(() -> EventJson.readControl(json.getBytes(UTF_8))).isInstanceOf(IOException.class);
    }
}
