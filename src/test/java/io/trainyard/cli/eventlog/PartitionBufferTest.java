package io.trainyard.cli.eventlog;

import static java.nio.charset.StandardCharsets.UTF_8;
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
    private long offset;

    /// The losses of two workers reached the partition in the opposite order.
    @Test
    void aLateRecordIsSortedBeforeANewerOne() {
        steps.add(List.of(written("b losses", 105), written("a losses", 100), written("a losses", 101)));
        jobs.add(List.of(written("a finished", 102), written("b finished", 110)));
        assertThat(merged()).containsExactly("a losses", "a losses", "a finished", "b losses", "b finished");
    }

    /// If the order of both partitions were kept, a job's end would come before its losses.
    @Test
    void mergesPartitionsByTime() {
        steps.add(List.of(written("b losses", 101), written("a losses", 100)));
        jobs.add(List.of(written("a finished", 103), written("b claimed", 99)));
        assertThat(merged()).containsExactly("b claimed", "a losses", "b losses", "a finished");
    }

    /// The clock of the second attempt's worker is behind.
    @Test
    void aJobsOwnOrderIsKept() {
        steps.add(List.of(written("a losses", 100), written("a losses again", 50), written("b losses", 70)));
        steps.add(List.of(written("a losses once more", 60)));
        assertThat(merged()).containsExactly("b losses", "a losses", "a losses again", "a losses once more");
    }

    @Test
    void recordsBeyondTheEndAreHeldBack() {
        jobs.holdBackFrom(1);
        jobs.add(List.of(written("a claimed", 20), written("b claimed", 10)));
        assertThat(merged()).containsExactly("a claimed");
        jobs.holdBackFrom(Long.MAX_VALUE);
        assertThat(merged()).containsExactly("b claimed");
    }

    @Test
    void heldBackRecordsCountAsBuffered() {
        jobs.holdBackFrom(1);
        for (int i = 0; i < EventLog.MAX_RECORDS; i++) {
            assertThat(jobs.isFull()).isFalse();
            jobs.add(List.of(written("a claimed", i)));
        }
        assertThat(jobs.isFull()).isTrue();
    }

    @Test
    void lossesWithTheTimestampOfTheEndComeFirst() {
        jobs.add(List.of(written("a finished", 7)));
        steps.add(List.of(written("a losses", 7), written("a losses", 7)));
        assertThat(merged()).containsExactly("a losses", "a losses", "a finished");
    }

    private List<String> merged() {
        List<String> words = new ArrayList<>();
        while (true) {
            Optional<PartitionBuffer> first = Stream.of(steps, jobs)
                    .filter(buffer -> !buffer.isEmpty())
                    .min(Comparator.comparing(buffer -> buffer, PartitionBuffer.ORDER));
            if (first.isEmpty()) {
                return words;
            }
            first.get().pass(entry -> words.add(new String(entry.body(), UTF_8)));
        }
    }

    /// @param words the first one is the job
    private ConsumerRecord<String, byte[]> written(String words, long timestamp) {
        String job = words.split(" ")[0];
        return new ConsumerRecord<>(
                "topic",
                0,
                offset++,
                timestamp,
                TimestampType.CREATE_TIME,
                job.length(),
                words.length(),
                job,
                words.getBytes(UTF_8),
                new RecordHeaders(),
                Optional.empty());
    }
}
