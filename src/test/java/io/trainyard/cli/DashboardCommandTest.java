package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
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
    void runsAreNextToTheCheckpointsUnlessTheseAreInABucket() {
        assertThat(TrainingOptions.runs(URI.create("checkpoints"))).isEqualTo(Path.of("checkpoints"));
        assertThat(TrainingOptions.runs(URI.create("file:///a/b%20c"))).isEqualTo(Path.of("/a/b c"));
        assertThat(TrainingOptions.runs(URI.create("s3://bucket/prefix"))).isEqualTo(Path.of("runs"));
    }
}
