package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/// Commands in a readable form, with apostrophes instead of quotes.
final class JobTexts {
    private JobTexts() {}

    /// Pairs of lines separated by empty lines: a command or a part of one, and the expected result.
    ///
    /// @param file in `src/test/resources/golden`
    static Stream<Arguments> recorded(String file) throws IOException {
        String text = Files.readString(Path.of("src/test/resources/golden", file));
        return Arrays.stream(text.strip().split("\n\n")).map(pair -> {
            String[] lines = pair.split("\n");
            assertThat(lines).hasSize(2);
            return arguments(lines[0], lines[1]);
        });
    }

    static JobSpec read(String json) {
        return JobJson.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    static String job(String more) {
        return "{'id': 'a', 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1, %s}".formatted(more);
    }

    static String id(String id) {
        return "{'id': %s, 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1}".formatted(id);
    }

    static String layers(String layers) {
        return "{'id': 'a', 'network': {'layers': [%s]}, 'dataset': 'mnist', 'epochs': 1}".formatted(layers);
    }
}
