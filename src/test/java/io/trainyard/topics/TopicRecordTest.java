package io.trainyard.topics;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.json;
import static io.trainyard.event.SampleEvents.spec;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopicRecordTest {
    private static final String COMMAND = JobJson.write(spec("a"));

    private final RecordHeaders headers = new RecordHeaders();

    @Test
    void aCommandBelongsToTheIdInItsBody() throws IOException {
        assertThat(jobRecord(Topic.CPU_COMMANDS_LOW, "key", COMMAND))
                .contains(new Requested("a", spec("a"), "commands.cpu.low-0 at offset 7", 5));
    }

    @Test
    void anUnreadableCommandIsIdentifiedByItsKey() throws IOException {
        assertThat(jobRecord(Topic.COMMANDS_HIGH, "key", "{"))
                .contains(new Requested("key", null, "commands.high-0 at offset 7", 5));
        assertThat(jobRecord(Topic.COMMANDS_HIGH, null, "{")).isEmpty();
        assertThat(jobRecord(Topic.COMMANDS_HIGH, "", "{")).isEmpty();
        assertThat(jobRecord(Topic.COMMANDS_HIGH, "x".repeat(JobRecord.MAX_ID + 1), "{"))
                .isEmpty();
    }

    @Test
    void aDeadLetterHasAReasonAndItsCommand() throws IOException {
        header(DeadLetter.REASON, "no such dataset here");
        header(DeadLetter.SOURCE_TOPIC, "commands.cpu.low");
        header(DeadLetter.SOURCE_PARTITION, "0");
        header(DeadLetter.SOURCE_OFFSET, "7");
        assertThat(jobRecord(Topic.DEAD_LETTER, "key", COMMAND))
                .contains(new Rejected("a", "commands.cpu.low-0 at offset 7", "no such dataset here", 5));
    }

    @Test
    void aDeadLetterMayHaveNoHeaders() throws IOException {
        assertThat(jobRecord(Topic.DEAD_LETTER, "key", "{"))
                .contains(new Rejected("key", null, "no reason is given", 5));
        assertThat(jobRecord(Topic.DEAD_LETTER, null, "{")).isEmpty();
    }

    @Test
    void invalidEventsAreErrors() throws IOException {
        String event = new String(json(claimed("a")), UTF_8);
        assertThat(jobRecord(Topic.JOBS, "key", event))
                .contains(new EventRecord(claimed("a"), TIME.toEpochMilli(), null, 7));
        assertThatThrownBy(() -> jobRecord(Topic.STEPS, "key", "{}")).isInstanceOf(IOException.class);
    }

    @Test
    void anEventHasItsWorkerAndTime() throws IOException {
        header("ce_source", "/workers/w1");
        assertThat(jobRecord(Topic.JOBS, "a/1/claimed", new String(json(claimed("a")), UTF_8)))
                .contains(new EventRecord(claimed("a"), TIME.toEpochMilli(), "w1", 7));
        String foreign = "{\"type\":\"failed\",\"job\":\"a\",\"attempt\":1,\"reason\":\"x\"}";
        assertThat(jobRecord(Topic.JOBS, "a", foreign)).contains(new EventRecord(failed("a", 1, "x"), 5, "w1", 7));
    }

    @Test
    void anEventWithAnInvalidTimeIsAnError() {
        String claimed = new String(json(claimed("a")), UTF_8);
        for (String time : List.of("1969-12-31T23:59:59Z", "+999999999-12-31T23:59:59Z", "now")) {
            assertThatThrownBy(() -> jobRecord(Topic.JOBS, "a", claimed.replaceFirst("2026[^\"]*", time)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("allowed is 1970 to 9999");
        }
    }

    @Test
    void otherTopicsHaveNoJobRecords() throws IOException {
        assertThat(jobRecord(Topic.WORKERS, "w1", "{}")).isEmpty();
        assertThat(jobRecord(Topic.CONTROL, "a", "{}")).isEmpty();
    }

    private void header(String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
    }

    private Optional<JobRecord> jobRecord(Topic topic, @Nullable String key, String body) throws IOException {
        return new TopicRecord(
                        topic,
                        new ConsumerRecord<>(
                                topic.name(""),
                                0,
                                7,
                                5,
                                TimestampType.CREATE_TIME,
                                0,
                                body.length(),
                                key,
                                body.getBytes(UTF_8),
                                headers,
                                Optional.empty()))
                .jobRecord();
    }
}
