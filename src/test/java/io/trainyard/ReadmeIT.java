package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The README's examples are one job, and it reaches the stated accuracy.
@DisabledOnOs(OS.WINDOWS)
final class ReadmeIT {
    private static final Page README = Page.read("README.md");
    private static final Path FIRST = Path.of("docs/examples/first.json").toAbsolutePath();
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Pattern PERCENT = Pattern.compile("accuracy of (\\d+) %");
    private static final Pattern ACCURACY = Pattern.compile("finished: .* best accuracy (0\\.\\d+|1\\.0+)");

    /// Rounding differs between CPUs, but the results are similar.
    private static final double TOLERANCE = 0.03;

    @TempDir
    private Path folder;

    @Smoke
    @Test
    void theFirstJobReachesTheAccuracyOfTheReadme() throws IOException {
        assertThat(MAPPER.readTree(README.section("## A first job").code("json").getFirst()))
                .isEqualTo(MAPPER.readTree(Files.readString(FIRST)));
        Matcher published = PERCENT.matcher(README.text());
        assertThat(published.find()).isTrue();

        TrainyardProcess train = TrainyardProcess.run(folder, "train", FIRST.toString());

        assertThat(train.exitStatus()).as(train.toString()).isZero();
        Matcher learned = ACCURACY.matcher(train.output());
        assertThat(learned.find()).as(train.output()).isTrue();
        assertThat(Double.parseDouble(learned.group(1)))
                .isGreaterThan(Double.parseDouble(published.group(1)) / 100 - TOLERANCE);
    }
}
