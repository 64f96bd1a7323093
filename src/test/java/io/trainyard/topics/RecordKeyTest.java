package io.trainyard.topics;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;

class RecordKeyTest {
    @Test
    void keysAreUniquePerRetainedEvent() {
        assertThat(RecordKey.of(claimed("a-1", 12))).isEqualTo("a-1/12/claimed");
        assertThat(RecordKey.of(saved("a-1", 1, 0, 2))).isEqualTo("a-1/1/checkpointSaved");
        assertThat(RecordKey.of(losses("a-1", 1, 0, 1, 2))).isEqualTo("a-1");
        assertThat(RecordKey.job("a-1/12/claimed")).isEqualTo("a-1");
        assertThat(RecordKey.job("a-1")).isEqualTo("a-1");
    }

    @Test
    void allRecordsOfAJobShareAPartition() {
        Set<Integer> used = new HashSet<>();
        for (int job = 0; job < 100; job++) {
            int partition = BuiltInPartitioner.partitionForKey(("job-" + job).getBytes(UTF_8), 7);
            for (TrainingEvent event : whole("job-" + job)) {
                assertThat(JobPartitioner.partition(RecordKey.of(event).getBytes(UTF_8), 7))
                        .isEqualTo(partition);
            }
            used.add(partition);
        }
        assertThat(used).hasSize(7);
    }

    @Test
    void aKeyOfAnyBytesHasAPartition() {
        byte[] odd = {(byte) 0xff, 0, '/', (byte) 0x80};
        assertThat(JobPartitioner.partition(odd, 3)).isBetween(0, 2);
        assertThat(JobPartitioner.partition(new byte[0], 3)).isBetween(0, 2);
    }
}
