package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The launcher as a user meets it: a process of its own, started from a folder that is not the project's.
@DisabledOnOs(OS.WINDOWS)
final class LauncherIT {

    private static final Path LAUNCHER = Path.of("trainyard").toAbsolutePath();
    private static final long TIMEOUT_SECONDS = 60;

    @TempDir
    Path folder;

    private record Ended(int exitStatus, String output, String errors) {}

    @Test
    void printsItsCommands() throws Exception {
        var ended = run(LAUNCHER, List.of("--help"));

        assertThat(ended.exitStatus()).isZero();
        assertThat(ended.output()).contains("Usage: trainyard");
    }

    @Test
    void worksThroughALink() throws Exception {
        var first = Files.createSymbolicLink(folder.resolve("first"), LAUNCHER);
        var second = Files.createSymbolicLink(folder.resolve("second"), folder.relativize(first));

        var ended = run(second, List.of("--version"));

        assertThat(ended.exitStatus()).isZero();
        assertThat(ended.output()).matches("trainyard \\d+\\.\\d+\\.\\d+\\R");
    }

    @Test
    void anUnknownCommandIsAUsageError() throws Exception {
        var ended = run(LAUNCHER, List.of("no-such-command"));

        assertThat(ended.exitStatus()).isEqualTo(2);
        assertThat(ended.errors()).contains("no-such-command").contains("Usage: trainyard");
        assertThat(ended.output()).isEmpty();
    }

    private Ended run(Path launcher, List<String> arguments) throws IOException, InterruptedException {
        var output = folder.resolve("output");
        var errors = folder.resolve("errors");
        var process = new ProcessBuilder(Stream.concat(Stream.of(launcher.toString()), arguments.stream())
                        .toList())
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(launcher + " " + arguments + " did not end within " + TIMEOUT_SECONDS + " s");
        }
        return new Ended(process.exitValue(), Files.readString(output), Files.readString(errors));
    }
}
