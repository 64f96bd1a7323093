package io.trainyard.custody;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.custody.Parking.Parked;
import io.trainyard.topics.Priority;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The deferred commands of projects and their order.
class ParkingTest {
    private final Parking<String> parking = new Parking<>();

    private static Parked<String> parked(String project, String topic, long offset, long since) {
        return new Parked<>(
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
        Parked<String> second = parked("a", "t", 2, 10);
        Parked<String> first = parked("a", "t", 1, 11); // fetched by a slower worker
        Parked<String> other = parked("a", "u", 7, 9);
        assertThat(Parking.oldest(Stream.of(second, first))).contains(first);
        assertThat(Parking.oldest(Stream.of(second, first, other))).contains(other);
        assertThat(Parking.oldest(Stream.<Parked<String>>empty())).isEmpty();
    }

    @Test
    void theFirstOfEachLineCanBeChosenFrom() {
        for (int i = 9; i >= 0; i--) {
            parking.add(parked("a", "t", i, 100 - i));
        }
        parking.add(parked("b", "t", 50, 200));
        assertThat(parking.first(2, Set.of()).stream().map(Parked::offset)).containsExactly(0L, 1L, 50L);
        assertThat(parking.remove("t-0")).isTrue();
        assertThat(parking.remove("t-0")).isFalse();
        assertThat(parking.remove("t-50")).isTrue();
        assertThat(parking.first(2, Set.of()).stream().map(Parked::offset)).containsExactly(1L, 2L);
        assertThat(parking.size()).isEqualTo(9);
    }

    @Test
    void oneThatKeepsAPermitIsSeenWhereverItStands() {
        for (int i = 0; i < 10; i++) {
            parking.add(parked("a", "t", i, i));
        }
        assertThat(parking.first(2, Set.of("job-9", "job-0", "gone")).stream().map(Parked::offset))
                .containsExactly(0L, 1L, 9L);
    }

    @Test
    void onlySoManyWait() {
        for (int i = 0; i < Parking.MAX_COMMANDS; i++) {
            assertThat(parking.isFull()).isFalse();
            parking.add(parked("a", "t", i, i));
        }
        assertThat(parking.isFull()).isTrue();
        for (int i = Parking.MAX_COMMANDS; i < 3 * Parking.MAX_COMMANDS; i++) {
            parking.add(parked("a", "t", i, i)); // by workers that did not know yet
        }
        assertThat(parking.size()).isEqualTo(2 * Parking.MAX_COMMANDS);
    }
}
