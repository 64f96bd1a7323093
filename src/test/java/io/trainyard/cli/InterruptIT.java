package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.broker.TestBroker;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// ctrl-C on a real terminal, which util-linux's `script` provides.
@EnabledOnOs(OS.LINUX)
final class InterruptIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CTRL_C = 3;

    @TempDir
    private Path folder;

    @Test
    void watchingEndsAndSaysThatTheJobGoesOn() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "there is no /usr/bin/script");
        String prefix = "interrupt.";
        CommandSender.send(KafkaOptions.at(TestBroker.address(), prefix), List.of(Jobs.spec("a")), _ -> {});
        String command = "%s watch a --kafka %s --prefix %s"
                .formatted(Path.of("trainyard").toAbsolutePath(), TestBroker.address(), prefix);
        Path screen = folder.resolve("screen");
        ProcessBuilder builder = new ProcessBuilder("/usr/bin/script", "-qefc", command, "/dev/null")
                .redirectErrorStream(true)
                .redirectOutput(screen.toFile());
        builder.environment().put("TERM", "xterm");
        Process process = builder.start();
        try {
            await().atMost(PATIENCE).until(() -> Files.readString(screen, UTF_8).contains("waiting for a worker"));
            OutputStream keyboard = process.getOutputStream();
            keyboard.write(CTRL_C);
            keyboard.flush();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(screen, UTF_8))
                    .contains("stopped watching; the jobs go on: ./trainyard watch a")
                    .contains("\u001b[1A"); // the cursor moves: these are bars, not lines
            assertThat(process.exitValue()).isEqualTo(130);
        } finally {
            process.destroyForcibly();
        }
    }
}
