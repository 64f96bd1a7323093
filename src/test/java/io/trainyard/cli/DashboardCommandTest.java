package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DashboardCommandTest {
    @Test
    void aMissingFolderOfRunsIsReported() {
        StringWriter said = new StringWriter();
        CommandLine line = Trainyard.commandLine().setErr(new PrintWriter(said));
        assertThat(line.execute("dashboard", "--port", "0", "--local", "no/such/folder"))
                .isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(said.toString()).contains("--local is \"no/such/folder\", which is not a folder; allowed is");
    }

    @Test
    void theFolderOfRunsIsOptional() {
        assertThat(local()).isNull();
        assertThat(local("--local", "--port", "0")).isEqualTo(Path.of(""));
        assertThat(local("--local", "a")).isEqualTo(Path.of("a"));
    }

    private static @Nullable Path local(String... options) {
        String[] arguments =
                Stream.concat(Stream.of("dashboard"), Stream.of(options)).toArray(String[]::new);
        return Trainyard.commandLine()
                .parseArgs(arguments)
                .subcommand()
                .commandSpec()
                .findOption("--local")
                .getValue();
    }

    @Test
    void runsAreNextToTheCheckpointsUnlessTheseAreInABucket() {
        assertThat(TrainingOptions.runs(URI.create("checkpoints"))).isEqualTo(Path.of("checkpoints"));
        assertThat(TrainingOptions.runs(URI.create("file:///a/b%20c"))).isEqualTo(Path.of("/a/b c"));
        assertThat(TrainingOptions.runs(URI.create("s3://bucket/prefix"))).isEqualTo(Path.of("runs"));
    }
}
