package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepsPerCallTest {
    private final StepsPerCall pace = new StepsPerCall();

    /// Trains blocks with steps of equal duration.
    ///
    /// @return the duration of the last block
    private long train(int blocks, long stepMicros) {
        long micros = 0;
        for (int i = 0; i < blocks; i++) {
            int steps = pace.steps(Integer.MAX_VALUE);
            micros = steps * stepMicros;
            pace.took(steps, micros);
        }
        return micros;
    }

    /// The device is called ten times a second, so the first loss of a block waits no longer than that.
    @ParameterizedTest
    @ValueSource(longs = {1, 25, 700, 30_000, 100_000})
    void blocksSoonReachTheirTargetTime(long stepMicros) {
        assertThat(train(40, stepMicros)).isBetween(StepsPerCall.BLOCK_MICROS * 2 / 3, StepsPerCall.BLOCK_MICROS);
    }

    @Test
    void aStepThatTakesLongerIsABlock() {
        assertThat(train(40, 2 * StepsPerCall.BLOCK_MICROS)).isEqualTo(2 * StepsPerCall.BLOCK_MICROS);
    }

    /// One slow block does not slow down the next one.
    @Test
    void stepsThatBecomeSlowMakeTheNextBlockShort() {
        assertThat(train(40, 10)).isEqualTo(StepsPerCall.BLOCK_MICROS);
        assertThat(train(2, 5_000)).isLessThanOrEqualTo(StepsPerCall.BLOCK_MICROS);
    }

    @Test
    void aBlockAtMostDoubles() {
        for (int expected = 1; expected <= 64; expected *= 2) {
            assertThat(pace.steps(1000)).isEqualTo(expected);
            pace.took(expected, 0);
        }
    }

    @Test
    void aBlockEndsWithTheEpoch() {
        assertThat(train(40, 10)).isEqualTo(StepsPerCall.BLOCK_MICROS);
        assertThat(pace.steps(7)).isEqualTo(7);
    }
}
