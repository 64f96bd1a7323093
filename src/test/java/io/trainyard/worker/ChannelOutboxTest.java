package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChannelOutboxTest {
    @Test
    void timestampsWithinAMillisecondDiffer() {
        assertThat(ChannelOutbox.following(1000, 1000)).isEqualTo(1001);
        assertThat(ChannelOutbox.following(1500, 1000)).isEqualTo(1501);
        assertThat(ChannelOutbox.following(1000, 2000)).isEqualTo(2000);
    }

    @Test
    void timestampsFollowACorrectedClock() {
        long right = 10_000_000;
        assertThat(ChannelOutbox.following(right + 7_200_000, right)).isEqualTo(right);
    }
}
