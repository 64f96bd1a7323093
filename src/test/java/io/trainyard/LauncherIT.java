package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The launcher as a user meets it: a process of its own, started from a folder that is not the project's.
@DisabledOnOs(OS.WINDOWS)
final class LauncherIT {

    @TempDir
    Path folder;

    @Test
    void printsItsCommands() {
        var ended = TrainyardProcess.run(folder, "--help");

        assertThat(ended.exitStatus()).isZero();
        assertThat(ended.output()).contains("Usage: trainyard");
    }

    @Test
    void worksThroughALink() throws Exception {
        var first = Files.createSymbolicLink(folder.resolve("first"), TrainyardProcess.LAUNCHER);
        var second = Files.createSymbolicLink(folder.resolve("second"), folder.relativize(first));

        var ended = TrainyardProcess.start(folder, List.of(second.toString(), "--version"));

        assertThat(ended.exitStatus()).isZero();
        assertThat(ended.output()).matches("trainyard \\d+\\.\\d+\\.\\d+\\R");
    }

    @Test
    void anUnknownCommandIsAUsageError() {
        var ended = TrainyardProcess.run(folder, "no-such-command");

        assertThat(ended.exitStatus()).isEqualTo(2);
        assertThat(ended.errors()).contains("no-such-command").contains("Did you mean");
        assertThat(ended.output()).isEmpty();
    }
}
