package io.trainyard.cli.watch;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class JobRecordReaderTest {
    private final List<String> warnings = new ArrayList<>();
    private final JobRecordReader reader = new JobRecordReader(warnings::add);

    @Test
    void invalidRecordsAreSkippedAndLoggedUpToALimit() {
        for (int i = 0; i < 1000; i++) {
            assertThat(reader.read(entry(i, "{\"type\": \"x\"}".getBytes(UTF_8))))
                    .isEmpty();
        }
        for (String bad : List.of("null", "{\"type\": \"failed\"}", "{\"type\": \"claimed\", \"job\": \"a\"}")) {
            assertThat(reader.read(entry(1000, bad.getBytes(UTF_8)))).isEmpty();
        }
        assertThat(reader.read(entry(1001, json(claimed("a"))))).isPresent();
        assertThat(warnings).hasSizeLessThan(30);
        assertThat(warnings.getFirst()).startsWith("skipped the record in jobs-0 at offset 0: it is not an event: ");
    }

    private static TopicRecord entry(long offset, byte[] body) {
        return new TopicRecord(Topic.JOBS, new ConsumerRecord<>("jobs", 0, offset, "a", body));
    }
}
