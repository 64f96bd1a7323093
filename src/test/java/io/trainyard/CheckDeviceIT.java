package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// `check-device` as an operator runs it, on the device that every machine has.
@DisabledOnOs(OS.WINDOWS)
final class CheckDeviceIT {
    @Test
    void theCpusOfThisMachinePass(@TempDir Path folder) {
        TrainyardProcess check = TrainyardProcess.run(folder, "check-device", "cpu", "--only", "losses,golden,memory");
        assertThat(check.output()).doesNotContain("FAIL");
        assertThat(check.exitStatus()).isZero();
        assertThat(check.errors()).isEmpty();
        assertThat(check.lines())
                .anyMatch(line -> line.startsWith("PASS  golden: fp32, 200 steps of tudui"))
                .anyMatch(line -> line.matches("(PASS|SKIP)  memory: .*"))
                .last()
                .asString()
                .matches("PASS: \\d+ checks passed, 0 failed");
    }
}
