package io.trainyard.spec;

import static io.trainyard.spec.JobTexts.layers;
import static io.trainyard.spec.JobTexts.read;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Error messages for invalid commands.
class JobMistakesTest {
    private static final String RELUS = "{'type': 'relu'}, ".repeat(1000) + "{'type': 'relu'}";

    static Stream<Arguments> recorded() throws IOException {
        return JobTexts.recorded("job-mistakes.txt");
    }

    static Stream<Arguments> longOnes() {
        return Stream.of(
                arguments(
                        "",
                        "the command is empty; it must be a JSON object such as {\"id\": \"my-job\", \"network\": \"lenet\", ...}"),
                arguments(
                        "{\n'id': ",
                        "the command is not JSON: Unexpected end-of-input within/between Object entries (line 2, column 7)"),
                arguments(
                        "[".repeat(1001),
                        "the command is not JSON: Document nesting depth (1001) exceeds the maximum allowed (1000)"),
                arguments(layers(RELUS), "network.layers has 1001 layers; allowed is 1 to 1000"),
                arguments(
                        layers("{'type': 'residual', 'layers': [" + RELUS + "]}"),
                        "network.layers has 1002 layers; allowed is 1 to 1000"));
    }

    /// The full message for each mistake.
    @ParameterizedTest
    @MethodSource({"recorded", "longOnes"})
    void reportsAMistakeInASentence(String json, String sentence) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(sentence);
    }

    @Test
    void aCommandThatIsTooLongIsRefusedUnread() {
        byte[] tooLong = new byte[JobJson.MAX_BYTES + 1];
        assertThatThrownBy(() -> JobJson.read(tooLong))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the command has 1048577 bytes; allowed is up to 1048576");
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        byte[] notUtf8 = {'{', '"', 'i', 'd', '"', ':', '"', (byte) 0xc3, '(', '"', '}'};
        assertThatThrownBy(() -> JobJson.read(notUtf8))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the command is not JSON: Invalid UTF-8 middle byte 0x28 (line 1, column 10)");
    }
}
