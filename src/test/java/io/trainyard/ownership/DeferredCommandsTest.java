package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.ownership.DeferredCommands.DeferredEntry;
import io.trainyard.topics.Priority;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The deferred commands of projects and their order.
class DeferredCommandsTest {
    private final DeferredCommands<String> parking = new DeferredCommands<>();

    private static DeferredEntry<String> parked(String project, String topic, long offset, long since) {
        return new DeferredEntry<>(
                "%s-%d".formatted(topic, offset),
                "job-" + offset,
                project,
                Priority.NORMAL,
                topic,
                offset,
                since,
                100,
                "");
    }

    @Test
    void eachKeepsItsPlaceInItsTopic() {
        DeferredEntry<String> second = parked("a", "t", 2, 10);
        DeferredEntry<String> first = parked("a", "t", 1, 11); // fetched by a slower worker
        DeferredEntry<String> other = parked("a", "u", 7, 9);
        assertThat(DeferredCommands.oldest(Stream.of(second, first))).contains(first);
        assertThat(DeferredCommands.oldest(Stream.of(second, first, other))).contains(other);
        assertThat(DeferredCommands.oldest(Stream.<DeferredEntry<String>>empty())).isEmpty();
    }

    @Test
    void theFirstOfEachLineCanBeChosenFrom() {
        for (int i = 9; i >= 0; i--) {
            parking.add(parked("a", "t", i, 100 - i));
        }
        parking.add(parked("b", "t", 50, 200));
        assertThat(parking.first(2, Set.of()).stream().map(DeferredEntry::offset)).containsExactly(0L, 1L, 50L);
        assertThat(parking.remove("t-0")).isTrue();
        assertThat(parking.remove("t-0")).isFalse();
        assertThat(parking.remove("t-50")).isTrue();
        assertThat(parking.first(2, Set.of()).stream().map(DeferredEntry::offset)).containsExactly(1L, 2L);
        assertThat(parking.size()).isEqualTo(9);
    }

    @Test
    void oneThatKeepsAPermitIsSeenWhereverItStands() {
        for (int i = 0; i < 10; i++) {
            parking.add(parked("a", "t", i, i));
        }
        assertThat(parking.first(2, Set.of("job-9", "job-0", "gone")).stream().map(DeferredEntry::offset))
                .containsExactly(0L, 1L, 9L);
    }

    @Test
    void onlySoManyWait() {
        for (int i = 0; i < DeferredCommands.MAX_COMMANDS; i++) {
            assertThat(parking.isFull()).isFalse();
            parking.add(parked("a", "t", i, i));
        }
        assertThat(parking.isFull()).isTrue();
        for (int i = DeferredCommands.MAX_COMMANDS; i < 3 * DeferredCommands.MAX_COMMANDS; i++) {
            parking.add(parked("a", "t", i, i)); // by workers that did not know yet
        }
        assertThat(parking.size()).isEqualTo(2 * DeferredCommands.MAX_COMMANDS);
    }
}
