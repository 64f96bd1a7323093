package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.ownership.CommandContent.Refusal;
import io.trainyard.spec.JobSchemaVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnershipJsonTest {
    @Test
    void readsWhatItWrites() throws IOException {
        CommandContent request = Requests.of("job", 3).in("store").refused(new Refusal("w1", "no \"data\""));
        for (Ownership ownership : List.of(
                Ownership.running(request, "w"), Ownership.paused(request, "w"), Ownership.waiting(request, "w", 4))) {
            assertThat(OwnershipJson.read(OwnershipJson.write(ownership))).isEqualTo(ownership);
        }
        assertThat(OwnershipJson.readRefusals(OwnershipJson.write(request.refusals())))
                .isEqualTo(request.refusals());
    }

    /// Older workers own jobs, too, so newer fields are omitted if they have their default.
    @Test
    void theFirstSchemaVersionIsReadable() throws IOException {
        Ownership ownership = Ownership.waiting(Requests.of("job", 2).in("store"), "w", 1);
        assertThat(OwnershipJson.read(OwnershipJson.write(ownership), JobSchemaVersion.FIRST))
                .isEqualTo(ownership);
    }

    @Test
    void writesEnumsInLowerCase() {
        String json =
                new String(OwnershipJson.write(Ownership.running(Requests.of("job", 1), "w")), StandardCharsets.UTF_8);
        assertThat(json).contains("\"state\":\"running\"").contains("\"priority\":\"normal\"");
    }

    @Test
    void rejectsOtherJson() {
        for (String json : List.of(
                "", "null", "[]", "{}", "{\"state\":\"running\"}", "\"running\"", "{\"request\":{\"job\":{}}}")) {
            assertThatThrownBy(() -> OwnershipJson.read(json.getBytes(StandardCharsets.UTF_8)))
                    .as(json)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void refusalsAreLimitedAndAWorkersNewestCounts() {
        CommandContent request = Requests.of("job", 1);
        for (int i = 0; i < 20; i++) {
            request = request.refused(new Refusal("w" + i, "first"));
        }
        request = request.refused(new Refusal("w10", "second"));
        assertThat(request.refusals()).hasSize(16).last().isEqualTo(new Refusal("w10", "second"));
        assertThat(request.refusals())
                .filteredOn(refusal -> refusal.worker().equals("w10"))
                .hasSize(1);
        assertThat(request.refused(new Refusal("w", "x".repeat(10_000)))
                        .refusals()
                        .getLast()
                        .reason())
                .hasSize(CommandContent.MAX_REASON);
    }
}
