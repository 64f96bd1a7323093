package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.CommandLimits;
import io.trainyard.topics.Priority;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class CommandRecordTest {
    private static final byte[] JOB = Fleet.job("job").getBytes(StandardCharsets.UTF_8);

    private static ConsumerRecord<byte[], byte[]> command(byte[] key, byte[] body, RecordHeaders headers) {
        return new ConsumerRecord<>(
                "commands",
                0,
                7,
                0,
                TimestampType.CREATE_TIME,
                key.length,
                body.length,
                key,
                body,
                headers,
                Optional.empty());
    }

    private static RecordHeaders headers(int count, int bytesEach) {
        RecordHeaders headers = new RecordHeaders();
        for (int i = 0; i < count; i++) {
            headers.add("h", new byte[bytesEach - 1]);
        }
        return headers;
    }

    @Test
    void acceptsACommandOfTheLargestSize() {
        int each = CommandLimits.MAX_HEADERS_BYTES / CommandLimits.MAX_HEADERS;
        assertThatCode(() -> CommandRecord.requireWithinLimits(command(
                        new byte[CommandLimits.MAX_KEY_BYTES],
                        new byte[JobJson.MAX_BYTES],
                        headers(CommandLimits.MAX_HEADERS, each))))
                .doesNotThrowAnyException();
        assertThatCode(() -> CommandRecord.requireWithinLimits(new ConsumerRecord<>("commands", 0, 7, null, null)))
                .as("one without key and body")
                .doesNotThrowAnyException();
    }

    @Test
    void rejectsLargerCommands() {
        assertRefused(
                command(new byte[1025], JOB, new RecordHeaders()),
                "the command's key has 1025 bytes; allowed is up to 1024; use the job's id as key");
        assertRefused(
                command(new byte[1], JOB, headers(65, 1)),
                "the command's record has 65 headers; allowed is up to 64; a command needs none");
        assertRefused(
                command(new byte[1], JOB, headers(2, (32 << 10) + 1)),
                "the command's headers have 65538 bytes; allowed is up to 65536; a command needs none");
        assertRefused(
                command(new byte[1], new byte[JobJson.MAX_BYTES + 1], new RecordHeaders()),
                "the command has 1048577 bytes; allowed is up to 1048576");
    }

    private static void assertRefused(ConsumerRecord<byte[], byte[]> command, String reason) {
        assertThatThrownBy(() -> CommandRecord.requireWithinLimits(command))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(reason);
    }

    @Test
    void reasonsQuoteHeadersShortAndPrintable() {
        RecordHeaders headers = new RecordHeaders();
        headers.add(CommandHeaders.ATTEMPT, ("7\n" + "x".repeat(5000)).getBytes(StandardCharsets.UTF_8));
        var command = command(new byte[1], JOB, headers);
        assertThatThrownBy(() -> CommandRecord.request(command, CommandRecord.job(command, 2), Priority.LOW))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "the header trainyard-attempt is \"7?%s...\"; allowed is a number from 1 to 999999999, or none"
                                .formatted("x".repeat(98)));
    }

    @Test
    void rejectsIncompleteRefusals() {
        for (String wrong : new String[] {"[null]", "[{}]", "null", "[{\"worker\": \"w\"}]", "{"}) {
            RecordHeaders headers = new RecordHeaders();
            headers.add(CommandHeaders.REFUSALS, wrong.getBytes(StandardCharsets.UTF_8));
            var command = command(new byte[1], JOB, headers);
            assertThatThrownBy(() -> CommandRecord.request(command, CommandRecord.job(command, 2), Priority.LOW))
                    .as(wrong)
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageStartingWith("the header trainyard-refusals is not a list of refusals: ");
        }
    }

    @Test
    void rejectsInvalidStoreNames() {
        RecordHeaders headers = new RecordHeaders();
        headers.add(CommandHeaders.STORE, "0b7f3a52-6f0c-4a39-9b6e-6d3a6fbe8a51".getBytes(StandardCharsets.UTF_8));
        var command = command(new byte[1], JOB, headers);
        assertThat(CommandRecord.request(command, CommandRecord.job(command, 2), Priority.LOW)
                        .store())
                .isEqualTo("0b7f3a52-6f0c-4a39-9b6e-6d3a6fbe8a51");
        headers.add(CommandHeaders.STORE, "mine".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> CommandRecord.request(command, CommandRecord.job(command, 2), Priority.LOW))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the header trainyard-store is not a UUID; allowed is the identity of a store, or none");
    }
}
