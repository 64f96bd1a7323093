package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecentRefusalsTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final RecentRefusals refusals = new RecentRefusals(Duration.ofMinutes(10));

    @Test
    void aRefusalExpires() {
        refusals.note("job", "the dataset is not here", 0);
        assertThat(refusals.reason("job", 10 * MINUTE)).contains("the dataset is not here");
        assertThat(refusals.reason("other", 0)).isEmpty();
        assertThat(refusals.reason("job", 10 * MINUTE + 1)).isEmpty();
    }

    @Test
    void aNewReasonRestartsTheTime() {
        refusals.note("job", "first", 0);
        refusals.note("job", "second", 9 * MINUTE);
        assertThat(refusals.reason("job", 19 * MINUTE)).contains("second");
    }

    @Test
    void theOldestRefusalIsDroppedAtTheLimit() {
        for (int i = 0; i <= 1000; i++) {
            refusals.note("job-" + i, "reason", i);
        }
        assertThat(refusals.reason("job-0", 1000)).isEmpty();
        assertThat(refusals.reason("job-1", 1000)).isPresent();
        assertThat(refusals.reason("job-1000", 1000)).isPresent();
    }
}
