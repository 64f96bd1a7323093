package io.trainyard.custody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.custody.Request.Refusal;
import io.trainyard.spec.JobContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CustodyJsonTest {
    @Test
    void whatIsWrittenIsRead() throws IOException {
        Request request = Requests.of("job", 3).in("store").refused(new Refusal("w1", "no \"data\""));
        for (Custody custody :
                List.of(Custody.held(request, "w"), Custody.paused(request, "w"), Custody.waiting(request, "w", 4))) {
            assertThat(CustodyJson.read(CustodyJson.write(custody))).isEqualTo(custody);
        }
        assertThat(CustodyJson.readRefusals(CustodyJson.write(request.refusals())))
                .isEqualTo(request.refusals());
    }

    /// Older workers own jobs, too, so newer fields are omitted if they have their default.
    @Test
    void whatTheFirstContractCanSayIsReadByWhoeverUnderstandsNoMore() throws IOException {
        Custody custody = Custody.waiting(Requests.of("job", 2).in("store"), "w", 1);
        assertThat(CustodyJson.read(CustodyJson.write(custody), JobContract.FIRST))
                .isEqualTo(custody);
    }

    @Test
    void statesArePlainWords() {
        String json = new String(CustodyJson.write(Custody.held(Requests.of("job", 1), "w")), StandardCharsets.UTF_8);
        assertThat(json).contains("\"state\":\"held\"").contains("\"priority\":\"normal\"");
    }

    @Test
    void whatIsNoCustodyIsRefused() {
        for (String json :
                List.of("", "null", "[]", "{}", "{\"state\":\"held\"}", "\"held\"", "{\"request\":{\"job\":{}}}")) {
            assertThatThrownBy(() -> CustodyJson.read(json.getBytes(StandardCharsets.UTF_8)))
                    .as(json)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void theOldestRefusalsAreForgottenAndAWorkersNewestCounts() {
        Request request = Requests.of("job", 1);
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
                .hasSize(Request.MAX_REASON);
    }
}
