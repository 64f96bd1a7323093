package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.SampleEvents;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.Priority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ctrl-C on a real terminal, provided by util-linux's `script`.
@EnabledOnOs(OS.LINUX)
final class InterruptIT {
    private static final String CTRL_C = "\u0003";

    @TempDir
    private Path folder;

    @Test
    void watchingEndsWhileTheJobContinues() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/script")),
                "there is no /usr/bin/script: install Debian's package bsdutils");
        String prefix = "interrupt.";
        new CommandSender(new Cluster(TestBroker.brokers(), prefix, Patience.LIMIT), CloudEvents.CLI)
                .send(List.of(SampleEvents.spec("a")), Priority.NORMAL, _ -> {});
        String command =
                "%s watch a --kafka %s --prefix %s".formatted(TrainyardProcess.LAUNCHER, TestBroker.address(), prefix);
        try (var script = TrainyardProcess.start(
                folder, List.of("/usr/bin/env", "TERM=xterm", "/usr/bin/script", "-qefc", command, "/dev/null"))) {
            script.await("waiting for a worker");
            script.type(CTRL_C);
            assertThat(script.exitStatus()).isEqualTo(130);
            assertThat(script.output())
                    .contains("stopped watching; the jobs go on: ./trainyard watch a")
                    .contains("\u001b[1A"); // the cursor moves, so these are bars instead of lines
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 130})
    void topRestoresTheTerminal(int exitStatus) throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/script")),
                "there is no /usr/bin/script: install Debian's package bsdutils");
        String prefix = "top%d.".formatted(exitStatus);
        new CommandSender(new Cluster(TestBroker.brokers(), prefix, Patience.LIMIT), CloudEvents.CLI)
                .send(List.of(SampleEvents.spec("a")), Priority.NORMAL, _ -> {});
        String command =
                "%s top --kafka %s --prefix %s".formatted(TrainyardProcess.LAUNCHER, TestBroker.address(), prefix);
        try (var script = TrainyardProcess.start(
                folder, List.of("/usr/bin/env", "TERM=xterm", "/usr/bin/script", "-qefc", command, "/dev/null"))) {
            script.await("0 workers, 0 busy; jobs: 1 queued");
            script.await("there is no worker");
            script.type(exitStatus == 0 ? "q" : CTRL_C);
            assertThat(script.exitStatus()).isEqualTo(exitStatus);
            assertThat(script.output()).contains("\u001b[?1049h").contains("\u001b[?25h\u001b[?1049l");
        }
    }
}
