package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.smallrye.config.WithDefault;
import io.trainyard.Page;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.SignInConfig;
import io.trainyard.event.JobState;
import io.trainyard.worker.WorkerSettings;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/// Checks docs/reference/commands.md and docs/reference/settings.md against the commands and their settings, and the
/// commands on every page against their options.
class CommandsPageTest {
    private static final Page PAGE = Page.read("docs/reference/commands.md");
    private static final Page SETTINGS = Page.read("docs/reference/settings.md");
    private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

    /// Listed once, below the table of commands.
    private static final List<String> COMMON_OPTIONS =
            List.of("--kafka", "--kafka-config", "--prefix", "--kafka-timeout", "--verbose");

    private static final String LAUNCHER = "./trainyard ";

    /// Rows of the table of commands.
    static List<List<String>> rows() {
        return PAGE.table();
    }

    @Test
    void everyCommandHasARow() {
        assertThat(rows().stream().map(CommandsPageTest::name))
                .containsExactlyElementsOf(commandLine().getSubcommands().keySet());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aRowNamesOptionsAndExitStatusesOfItsCommand(List<String> row) {
        CommandLine command =
                Objects.requireNonNull(commandLine().getSubcommands().get(name(row)));
        assertThat(OPTION.matcher(row.getFirst()).results().map(option -> option.group()))
                .allSatisfy(option -> assertThat(command.getCommandSpec().findOption(option))
                        .as(option)
                        .isNotNull());
        assertThat(Stream.concat(
                                OPTION.matcher(String.join(" ", row)).results().map(MatchResult::group),
                                COMMON_OPTIONS.stream())
                        .toList())
                .containsAll(options(command));
        assertThat(row.get(2).split(", "))
                .containsExactlyElementsOf(
                        command.getCommandSpec().usageMessage().exitCodeList().keySet());
    }

    @Test
    void theCommonOptionsAreThoseOfCommandsThatUseKafka() {
        for (List<String> row : rows()) {
            CommandLine command =
                    Objects.requireNonNull(commandLine().getSubcommands().get(name(row)));
            if (options(command).contains("--kafka")) {
                assertThat(options(command)).as(name(row)).containsAll(COMMON_OPTIONS);
            }
        }
        assertThat(COMMON_OPTIONS).allSatisfy(option -> assertThat(PAGE.text()).contains("`" + option));
    }

    @Test
    void everyStateAndOrderOfJobsIsNamed() {
        assertThat(codes("## Selecting jobs"))
                .containsAll(words(JobState.Status.values()))
                .containsAll(words(JobOrder.values()));
        assertThat(codes("## Top")).containsAll(words(TopOrder.values()));
    }

    private static List<String> codes(String heading) {
        return Page.code(List.of(PAGE.section(heading).text()), 0);
    }

    private static List<String> words(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static List<String> options(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(option -> option.longestName())
                .toList();
    }

    @Test
    void everySettingHasItsDefault() {
        Map<String, @Nullable String> settings = new TreeMap<>();
        addSettings("TRAINYARD", WorkerSettings.class, settings);
        addSettings("TRAINYARD_DASHBOARD", DashboardConfig.class, settings);
        addSettings("TRAINYARD_SIGN_IN", SignInConfig.class, settings);
        Map<String, String> published = new LinkedHashMap<>();
        SETTINGS.sections(2)
                .values()
                .forEach(section -> section.table()
                        .forEach(row -> published.put(
                                Page.code(row, 0).getFirst(), row.get(1).replace("`", ""))));
        settings.forEach((name, value) -> {
            assertThat(published).containsKey(name);
            if (value != null) {
                assertThat(published).containsEntry(name, value);
            }
        });
        published.keySet().removeAll(settings.keySet());
        assertThat(published.keySet()).containsExactly("""
                        TRAINYARD_KAFKA_TIMEOUT TRAINYARD_LOG_JSON OTEL_TRACES_EXPORTER TRAINYARD_VERBOSE
                        TRAINYARD_DATA_CACHE_LIMIT TRAINYARD_S3_ADDRESSING TRAINYARD_S3_ENCRYPTION
                        TRAINYARD_S3_KMS_KEY TRAINYARD_S3_TIMEOUT JAVA_HOME TRAINYARD_JAVA_OPTS JDK_JAVA_OPTIONS
                        TRAINYARD_WORKER_METRICS_PORT TRAINYARD_WORKER_METRICS_HOST""".split("\\s+"));
    }

    /// The environment variables, by SmallRye's naming rule. The command itself decides whether the process is
    /// a worker or a dashboard.
    private static void addSettings(String prefix, Class<?> config, Map<String, @Nullable String> settings) {
        for (Method setting : config.getDeclaredMethods()) {
            String name = prefix + "_"
                    + setting.getName().replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
            WithDefault value = setting.getAnnotation(WithDefault.class);
            if (setting.getReturnType().getEnclosingClass() == config) {
                addSettings(name, setting.getReturnType(), settings);
            } else if (!setting.getName().equals("enabled")) {
                settings.put(name, value == null ? null : value.value());
            }
        }
    }

    @Test
    void thePageOnCheckingANodeHasTheOptionsOfItsCommand() {
        CommandLine command =
                Objects.requireNonNull(commandLine().getSubcommands().get("check-device"));
        assertThat(Page.read("docs/how-to/check-a-node.md").tableOf("option").table())
                .extracting(row -> Page.code(row, 0).getFirst())
                .containsExactlyInAnyOrderElementsOf(options(command));
    }

    static Stream<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("docs"))) {
            return Stream.concat(
                    Stream.of("README.md", "CONTRIBUTING.md", "SECURITY.md"),
                    files.map(Path::toString).filter(file -> file.endsWith(".md")).sorted().toList().stream());
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theCommandsOfAPageAreValid(String page) {
        requireTaken(Page.read(page).commands());
    }

    @Test
    void theExamplesOfTheHelpAreValid() {
        List<String> examples = commandLine().getSubcommands().values().stream()
                .flatMap(command ->
                        Arrays.stream(command.getCommandSpec().usageMessage().footer()))
                .toList();
        assertThat(examples).hasSizeGreaterThan(10);
        requireTaken(examples);
    }

    private static void requireTaken(List<String> shell) {
        for (String command : shell.stream().flatMap(CommandsPageTest::ours).toList()) {
            List<String> words = new ArrayList<>(List.of(command.split("\\s+")));
            assertThatCode(() -> commandLine().parseArgs(words.toArray(String[]::new)))
                    .as(command)
                    .doesNotThrowAnyException();
        }
    }

    /// The arguments of each `./trainyard` in a line, without those of the script itself.
    private static Stream<String> ours(String line) {
        return Arrays.stream(line.split("[|)]"))
                .map(part ->
                        part.substring(Math.max(0, part.lastIndexOf(LAUNCHER))).strip())
                .filter(part -> part.startsWith(LAUNCHER) && !part.matches("\\./trainyard (test|verify)\\b.*"))
                .map(part -> part.substring(LAUNCHER.length()).replaceFirst("\\s*[>&].*", ""));
    }

    private static String name(List<String> row) {
        return row.getFirst().replaceFirst("^`\\./trainyard ([a-z-]+).*", "$1");
    }

    private static CommandLine commandLine() {
        return Trainyard.commandLine();
    }
}
