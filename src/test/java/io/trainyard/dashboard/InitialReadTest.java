package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class InitialReadTest {
    private static final TopicPartition COMMANDS = new TopicPartition("commands", 0);
    private static final TopicPartition JOBS = new TopicPartition("jobs", 0);

    private final InitialRead catchUp = new InitialRead();

    private boolean see(Map<TopicPartition, Long> ends, Map<TopicPartition, Long> known) {
        return catchUp.see(ends, partition -> known.getOrDefault(partition, 0L));
    }

    @Test
    void emptyTopicsAreRead() {
        assertThat(see(Map.of(), Map.of())).isTrue();
    }

    @Test
    void recordsPublishedDuringTheReadAreNotAwaited() {
        assertThat(see(Map.of(COMMANDS, 10L, JOBS, 5L), Map.of())).isFalse();
        assertThat(see(Map.of(COMMANDS, 20L, JOBS, 50L), Map.of(COMMANDS, 12L, JOBS, 4L)))
                .isFalse();
        assertThat(see(Map.of(COMMANDS, 30L, JOBS, 90L), Map.of(COMMANDS, 20L, JOBS, 5L)))
                .isTrue();
    }

    @Test
    void deletedRecordsAreNotAwaited() {
        assertThat(see(Map.of(COMMANDS, 10L, JOBS, 5L), Map.of(JOBS, 5L))).isFalse();
        assertThat(see(Map.of(JOBS, 6L), Map.of(JOBS, 5L))).isTrue();
    }
}
