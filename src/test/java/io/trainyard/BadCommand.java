package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.DeadLetter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// A command that no worker can run, from the scenarios in `bad-commands.yaml`.
///
/// @param name the record's key
/// @param body the record's value
/// @param words that the reason must contain
public record BadCommand(String name, byte @Nullable [] body, List<String> words) {
    private static final String SCENARIOS = "bad-commands.yaml";

    /// All scenarios, in the order of the file.
    public static List<BadCommand> all() {
        try (InputStream in = Objects.requireNonNull(BadCommand.class.getResourceAsStream(SCENARIOS), SCENARIOS)) {
            List<Map<String, Object>> scenarios = new Yaml(new SafeConstructor(new LoaderOptions())).load(in);
            return scenarios.stream().map(BadCommand::of).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BadCommand of(Map<String, Object> scenario) {
        List<?> words = (List<?>) Objects.requireNonNull(scenario.get("then"));
        return new BadCommand(
                String.valueOf(scenario.get("name")),
                body(scenario.get("given")),
                words.stream().map(String::valueOf).toList());
    }

    private static byte @Nullable [] body(@Nullable Object given) {
        return switch (given) {
            case null -> null;
            case Map<?, ?> text -> {
                byte[] begin = bytes(text.get("begin"));
                byte[] repeat = bytes(text.get("repeat"));
                byte[] body = Arrays.copyOf(begin, (int) Objects.requireNonNull(text.get("bytes")));
                for (int i = begin.length; i < body.length; i++) {
                    body[i] = repeat[(i - begin.length) % repeat.length];
                }
                yield body;
            }
            default -> bytes(given);
        };
    }

    private static byte[] bytes(@Nullable Object text) {
        return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    }

    /// Asserts that the dead letter belongs to this command.
    ///
    /// @param source the command's position on its topic
    public void assertIsIn(ConsumerRecord<?, byte[]> letter, String worker, Source source) {
        assertThat(header(letter, DeadLetter.REASON))
                .as(name)
                .contains(words)
                .doesNotContain("Exception", "\n", "io.trainyard");
        assertThat(header(letter, DeadLetter.SOURCE_TOPIC)).isEqualTo(source.topic());
        assertThat(header(letter, DeadLetter.SOURCE_PARTITION)).isEqualTo("0");
        assertThat(header(letter, DeadLetter.SOURCE_OFFSET)).isEqualTo(Long.toString(source.offset()));
        assertThat(header(letter, DeadLetter.WORKER)).isEqualTo(worker);
        assertThat(header(letter, "ce_type")).isEqualTo(CloudEvents.DEAD_COMMAND);
        assertThat(header(letter, "ce_source")).isEqualTo("/workers/" + worker);
        byte[] sent = body == null ? new byte[0] : body;
        assertThat(letter.value()).isEqualTo(Arrays.copyOf(sent, Math.min(sent.length, DeadLetter.MAX_BODY_BYTES)));
        assertThat(letter.headers().lastHeader(DeadLetter.TRUNCATED_FROM_BYTES) != null)
                .as("the header for truncated bodies")
                .isEqualTo(sent.length > DeadLetter.MAX_BODY_BYTES);
        if (sent.length > DeadLetter.MAX_BODY_BYTES) {
            assertThat(header(letter, DeadLetter.TRUNCATED_FROM_BYTES)).isEqualTo(Integer.toString(sent.length));
        }
    }

    /// The position of a command.
    public record Source(String topic, long offset) {}

    private static String header(ConsumerRecord<?, byte[]> letter, String name) {
        return new String(
                Objects.requireNonNull(letter.headers().lastHeader(name), name).value(), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return name;
    }
}
