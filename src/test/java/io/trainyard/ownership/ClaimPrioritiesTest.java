package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.topics.Priority;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClaimPrioritiesTest {
    private final ClaimPriorities order = new ClaimPriorities();

    /// The number of claimed jobs by priority, if some priorities never run out of jobs.
    private Map<Priority, Integer> claimed(int jobs, Set<Priority> waiting) {
        Map<Priority, Integer> claimed = new EnumMap<>(Priority.class);
        for (int i = 0; i < jobs; i++) {
            Priority next =
                    order.now().stream().filter(waiting::contains).findFirst().orElseThrow();
            claimed.merge(next, 1, Integer::sum);
            order.claimed();
        }
        return claimed;
    }

    @Test
    void lowerPrioritiesGetAShareOfAFlood() {
        assertThat(claimed(160, EnumSet.allOf(Priority.class)))
                .containsExactly(
                        Map.entry(Priority.HIGH, 140), Map.entry(Priority.NORMAL, 10), Map.entry(Priority.LOW, 10));
        assertThat(claimed(160, EnumSet.of(Priority.HIGH, Priority.LOW))).containsEntry(Priority.LOW, 10);
        assertThat(claimed(160, EnumSet.of(Priority.NORMAL, Priority.LOW))).containsEntry(Priority.LOW, 10);
        assertThat(claimed(160, EnumSet.of(Priority.LOW))).containsEntry(Priority.LOW, 160);
    }

    @Test
    void everyOrderContainsAllPriorities() {
        for (int i = 0; i < 2 * ClaimPriorities.CYCLE; i++) {
            assertThat(ClaimPriorities.after(i)).containsExactlyInAnyOrder(Priority.values());
        }
    }

    @Test
    void aPreemptedWorkerClaimsTheHighPriorityJobAndKeepsTheOrder() {
        for (int i = 0; i < ClaimPriorities.CYCLE - 1; i++) {
            order.claimed();
        }
        assertThat(order.now()).startsWith(Priority.LOW);
        order.preempted();
        assertThat(order.now()).containsExactly(Priority.HIGH);
        order.claimed();
        assertThat(order.now()).startsWith(Priority.LOW);
    }

    @Test
    void eachPlaceIsReservedUntilItIsClaimedOrReleased() {
        order.preempted();
        order.preempted();
        order.claimed();
        assertThat(order.isPlaceReserved()).isTrue();
        assertThat(order.of(List.of("high", "normal", "low"))).containsExactly("high");
        order.releasePlaces();
        assertThat(order.isPlaceReserved()).isFalse();
        assertThat(order.of(List.of("high", "normal", "low"))).containsExactly("high", "normal", "low");
    }
}
