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

/// The launcher as a user meets it: a process of its own, started from a folder that is not the project's.
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

    /// A start without them is a second longer and does the same, so nobody else would notice.
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

    /// The property is what GraalVM sets in an image. What an image has is decided by it alone.
    @Test
    void aNativeImageRefusesWhatNeedsAJvm() {
        var ended = TrainyardProcess.start(
                folder,
                List.of(
                        "/usr/bin/env",
                        "TRAINYARD_JAVA_OPTS=-Dorg.graalvm.nativeimage.imagecode=runtime",
                        TrainyardProcess.LAUNCHER.toString(),
                        "broker"));

        assertThat(ended.exitStatus()).isEqualTo(2);
        assertThat(ended.errors()).contains("trainyard broker is not in the native image", "Dockerfile.jvm");
    }

    @Test
    void anUnknownCommandIsAUsageError() {
        var ended = TrainyardProcess.run(folder, "no-such-command");

        assertThat(ended.exitStatus()).isEqualTo(2);
        assertThat(ended.errors()).contains("no-such-command").contains("Did you mean");
        assertThat(ended.output()).isEmpty();
    }
}
