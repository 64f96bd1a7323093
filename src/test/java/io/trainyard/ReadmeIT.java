package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The README's examples: they are one job, which learns what it says there.
@DisabledOnOs(OS.WINDOWS)
final class ReadmeIT {
    private static final Page README = Page.read("README.md");
    private static final Path FIRST = Path.of("docs/jobs/first.json").toAbsolutePath();
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Pattern PERCENT = Pattern.compile("accuracy of (\\d+) %");
    private static final Pattern ACCURACY = Pattern.compile("finished: .* best accuracy (0\\.\\d+|1\\.0+)");

    /// Other processors round otherwise; what is learned is the same.
    private static final double TOLERANCE = 0.03;

    @TempDir
    private Path folder;

    @Test
    void theFirstJobLearnsWhatTheReadmeSays() throws IOException {
        assertThat(MAPPER.readTree(README.section("## A first job").code("json").getFirst()))
                .isEqualTo(MAPPER.readTree(Files.readString(FIRST)));
        Matcher told = PERCENT.matcher(README.text());
        assertThat(told.find()).isTrue();

        TrainyardProcess train = TrainyardProcess.run(folder, "train", FIRST.toString());

        assertThat(train.exitStatus()).as(train.toString()).isZero();
        Matcher learned = ACCURACY.matcher(train.output());
        assertThat(learned.find()).as(train.output()).isTrue();
        assertThat(Double.parseDouble(learned.group(1)))
                .isGreaterThan(Double.parseDouble(told.group(1)) / 100 - TOLERANCE);
    }

    /// That of the README for another language, those of the page on topics, and that of `submit --help`.
    @Test
    void theOtherExamplesAreTheSameJob() throws IOException {
        JsonNode first = MAPPER.readTree(Files.readString(FIRST));
        String topics =
                Page.read("docs/topics.md").section("## From another language").toString();
        List<String> examples = List.of(
                inQuotes(README.section("## From another language").toString()),
                inQuotes(topics),
                topics.replaceAll("(?s).*job = (\\{.*?})\n.*", "$1"));
        for (String example : examples) {
            ObjectNode job = (ObjectNode) MAPPER.readTree(example);
            assertThat(job.remove("id").isTextual()).isTrue();
            assertThat(job).isEqualTo(first);
        }
        assertThat(inQuotes(TrainyardProcess.run(folder, "submit", "--help").output())
                        .replaceAll("\\s+", " "))
                .isEqualTo(first.toString().replace("\"", "").replaceAll("[:,]", "$0 "));
    }

    private static String inQuotes(String text) {
        return text.replaceAll("(?s).*?echo '(.*?)'.*", "$1");
    }
}
