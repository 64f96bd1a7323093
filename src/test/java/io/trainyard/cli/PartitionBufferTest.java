package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class PartitionBufferTest {
    private final PartitionBuffer steps = new PartitionBuffer(Topic.STEPS);
    private final PartitionBuffer jobs = new PartitionBuffer(Topic.JOBS);

    /// Two workers' losses reached the partition the other way round.
    @Test
    void aLateRecordBehindANewerOneComesInItsTime() {
        steps.add(List.of(written("b losses", 105), written("a losses", 100), written("a losses", 101)));
        jobs.add(List.of(written("a finished", 102), written("b finished", 110)));
        assertThat(merged()).containsExactly("b losses", "a losses", "a losses", "a finished", "b finished");
    }

    @Test
    void ofEqualTimestampsLossesComeBeforeTheEnd() {
        jobs.add(List.of(written("a finished", 7)));
        steps.add(List.of(written("a losses", 7), written("a losses", 7)));
        assertThat(merged()).containsExactly("a losses", "a losses", "a finished");
    }

    private List<String> merged() {
        List<String> keys = new ArrayList<>();
        while (true) {
            Optional<PartitionBuffer> first = Stream.of(steps, jobs)
                    .filter(buffer -> !buffer.isEmpty())
                    .min(Comparator.comparing(buffer -> buffer, PartitionBuffer.ORDER));
            if (first.isEmpty()) {
                return keys;
            }
            first.get().pass(entry -> keys.add(entry.key()));
        }
    }

    private static ConsumerRecord<String, byte[]> written(String key, long timestamp) {
        return new ConsumerRecord<>(
                "topic",
                0,
                0,
                timestamp,
                TimestampType.CREATE_TIME,
                key.length(),
                1,
                key,
                new byte[1],
                new RecordHeaders(),
                Optional.empty());
    }
}
