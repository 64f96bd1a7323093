package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.ownership.DeferredByProject.DeferredEntry;
import io.trainyard.topics.Priority;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The deferred commands of projects and their order.
class DeferredByProjectTest {
    private final DeferredByProject<String> deferrals = new DeferredByProject<>();

    private static DeferredEntry<String> deferred(String project, String topic, long offset, long since) {
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
    void commandsKeepTheOrderOfTheirTopic() {
        DeferredEntry<String> second = deferred("a", "t", 2, 10);
        DeferredEntry<String> first = deferred("a", "t", 1, 11); // fetched by a slower worker
        DeferredEntry<String> other = deferred("a", "u", 7, 9);
        assertThat(DeferredByProject.oldest(Stream.of(second, first))).contains(first);
        assertThat(DeferredByProject.oldest(Stream.of(second, first, other))).contains(other);
        assertThat(DeferredByProject.oldest(Stream.<DeferredEntry<String>>empty()))
                .isEmpty();
    }

    @Test
    void returnsTheFirstCommandsOfEachProject() {
        for (int i = 9; i >= 0; i--) {
            deferrals.add(deferred("a", "t", i, 100 - i));
        }
        deferrals.add(deferred("b", "t", 50, 200));
        assertThat(deferrals.first(2, Set.of()).stream().map(DeferredEntry::offset))
                .containsExactly(0L, 1L, 50L);
        assertThat(deferrals.remove("t-0")).isTrue();
        assertThat(deferrals.remove("t-0")).isFalse();
        assertThat(deferrals.remove("t-50")).isTrue();
        assertThat(deferrals.first(2, Set.of()).stream().map(DeferredEntry::offset))
                .containsExactly(1L, 2L);
        assertThat(deferrals.size()).isEqualTo(9);
    }

    @Test
    void returnsCommandsWithAPermitInAnyPosition() {
        for (int i = 0; i < 10; i++) {
            deferrals.add(deferred("a", "t", i, i));
        }
        assertThat(deferrals.first(2, Set.of("job-9", "job-0", "gone")).stream().map(DeferredEntry::offset))
                .containsExactly(0L, 1L, 9L);
    }

    @Test
    void deferredCommandsAreLimited() {
        for (int i = 0; i < DeferredByProject.MAX_COMMANDS; i++) {
            assertThat(deferrals.isFull()).isFalse();
            deferrals.add(deferred("a", "t", i, i));
        }
        assertThat(deferrals.isFull()).isTrue();
        for (int i = DeferredByProject.MAX_COMMANDS; i < 3 * DeferredByProject.MAX_COMMANDS; i++) {
            deferrals.add(deferred("a", "t", i, i)); // by workers that did not know yet
        }
        assertThat(deferrals.size()).isEqualTo(2 * DeferredByProject.MAX_COMMANDS);
    }
}
