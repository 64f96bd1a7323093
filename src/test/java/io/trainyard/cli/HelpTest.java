package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/// The help of every command has one form and fits a screen of 80 columns. [CommandsPageTest] parses its examples.
class HelpTest {
    private static final int MAX_LINES = 42;

    static Stream<String> commands() {
        return Stream.concat(Stream.of(""), Trainyard.commandLine().getSubcommands().keySet().stream());
    }

    private static CommandLine command(String name) {
        CommandLine trainyard = Trainyard.commandLine();
        return name.isEmpty()
                ? trainyard
                : Objects.requireNonNull(trainyard.getSubcommands().get(name));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void fitsAScreen(String name) {
        assertThat(command(name).getUsageMessage().lines())
                .hasSizeLessThanOrEqualTo(MAX_LINES)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void beginsWithASentenceOnOneLine(String name) {
        List<String> lines = command(name).getUsageMessage().lines().toList();
        assertThat(lines.get(0)).startsWith("Usage: trainyard ");
        assertThat(lines.get(1)).matches("[A-Z][^.;]*\\.");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void endsWithTwoExamplesOnALineEach(String name) {
        String help = command(name).getUsageMessage();
        String examples = help.substring(help.indexOf("\nExamples:\n"));
        assertThat(examples.lines().filter(line -> line.contains("./trainyard " + name)))
                .hasSize(2);
        UsageMessageSpec usage = command(name).getCommandSpec().usageMessage();
        assertThat(examples.strip().lines().skip(1)).containsExactlyElementsOf(Arrays.asList(usage.footer()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trian job.json | \"trian\" is not a command; the nearest is \"train\"; trainyard --help lists all.",
                "frobnicate | \"frobnicate\" is not a command; trainyard --help lists all."
            })
    void aMistypedCommandGetsTheNearestName(String line, String message) {
        StringWriter err = new StringWriter();
        int status = Trainyard.commandLine().setErr(new PrintWriter(err)).execute(line.split(" "));
        assertThat(status).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(err.toString().strip()).isEqualTo(message);
    }
}
