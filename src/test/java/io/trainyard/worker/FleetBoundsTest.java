package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/// Anyone can write to some topics, so the state that a worker keeps of them is bounded.
class FleetBoundsTest {
    private final HeartbeatBounds heartbeats = new HeartbeatBounds("self");

    @Test
    void heartbeatsAreLimitedInNumber() {
        for (int i = 0; i < HeartbeatBounds.MAX_WORKERS; i++) {
            assertThat(heartbeats.admits("forged-" + i, 300)).isTrue();
        }
        assertThat(heartbeats.admits("one-more", 300)).isFalse();
        assertThat(heartbeats.admits("forged-7", 300)).isTrue();
        assertThat(heartbeats.admits("self", 300)).isTrue();
        heartbeats.keep(Set.of("forged-7"));
        assertThat(heartbeats.admits("one-more", 300)).isTrue();
    }

    @Test
    void heartbeatsAreLimitedInBytes() {
        assertThat(heartbeats.admits("large", HeartbeatBounds.MAX_BYTES + 1)).isFalse();
        long most = HeartbeatBounds.MAX_TOTAL_BYTES / HeartbeatBounds.MAX_BYTES;
        for (int i = 0; i < most; i++) {
            assertThat(heartbeats.admits("large-" + i, HeartbeatBounds.MAX_BYTES))
                    .isTrue();
        }
        assertThat(heartbeats.admits("small", 1)).isFalse();
        assertThat(heartbeats.admits("large-0", 1)).isTrue();
        assertThat(heartbeats.admits("small", 1)).isTrue();
        assertThat(heartbeats.admits("self", HeartbeatBounds.MAX_BYTES + 1)).isTrue();
    }

    @Test
    void theOldestControlRequestIsDropped() {
        ControlBounds controlled = new ControlBounds(2);
        assertThat(controlled.add("a")).isEmpty();
        assertThat(controlled.add("b")).isEmpty();
        assertThat(controlled.add("a")).isEmpty();
        assertThat(controlled.add("c")).contains("b");
        controlled.remove("a");
        assertThat(controlled.add("d")).isEmpty();
    }
}
