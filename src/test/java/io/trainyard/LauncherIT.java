package io.trainyard;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The launcher as a user runs it: a separate process, started outside the project's folder.
@DisabledOnOs(OS.WINDOWS)
final class LauncherIT {

    @TempDir
    Path folder;

    @Smoke
    @Test
    void worksThroughALink() throws Exception {
        var first = Files.createSymbolicLink(folder.resolve("first"), TrainyardProcess.LAUNCHER);
        var second = Files.createSymbolicLink(folder.resolve("second"), folder.relativize(first));

        var ended = TrainyardProcess.start(folder, List.of(second.toString(), "--version"));

        assertThat(ended.exitStatus()).isZero();
        assertThat(ended.output()).matches("trainyard \\d+\\.\\d+\\.\\d+\\R");
    }

    /// A start without these files works but takes a second longer, which would go unnoticed.
    @ParameterizedTest
    @ValueSource(strings = {"jobs --help", "devices"})
    void classesComeFromArchives(String arguments) throws IOException {
        Path log = folder.resolve("classes.log");
        var ended = TrainyardProcess.start(
                folder,
                Stream.concat(
                                Stream.of(
                                        "/usr/bin/env",
                                        "TRAINYARD_JAVA_OPTS=-Xlog:class+load:file=" + log,
                                        TrainyardProcess.LAUNCHER.toString()),
                                Stream.of(arguments.split(" ")))
                        .toList());

        assertThat(ended.exitStatus()).isZero();
        assertThat(Files.readAllLines(log))
                .filteredOn(line -> line.contains("io.trainyard.cli.JobsCommand "))
                .singleElement(as(STRING))
                .endsWith("source: shared objects file");
    }

    @Test
    void anUnknownCommandIsAUsageError() {
        var ended = TrainyardProcess.run(folder, "trian");

        assertThat(ended.exitStatus()).isEqualTo(2);
        assertThat(ended.errors()).contains("\"trian\" is not a command; the nearest is \"train\"");
        assertThat(ended.output()).isEmpty();
    }
}
