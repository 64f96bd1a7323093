package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HangLimitTest {
    private final HangLimit watch = new HangLimit(20);

    @Test
    void nothingIsKnownBeforeTheFirstBlock() {
        assertThat(watch.limit(1)).isEqualTo(HangLimit.UNKNOWN);
    }

    @Test
    void shortStepsStillHaveAMinute() {
        watch.took(100, 100_000);
        assertThat(watch.limit(100)).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void theSlowestBlockCounts() {
        watch.took(1, 10_000_000);
        watch.took(1, 5_000_000);
        assertThat(watch.limit(1)).isEqualTo(Duration.ofSeconds(200));
        assertThat(new HangLimit(50).limit(1)).isEqualTo(HangLimit.UNKNOWN);
    }

    @Test
    void largerBlocksMayTakeLonger() {
        watch.took(1, 1_000_000);
        watch.took(4, 2_000_000);
        assertThat(watch.limit(300)).isEqualTo(Duration.ofSeconds(20 * 300));
    }
}
