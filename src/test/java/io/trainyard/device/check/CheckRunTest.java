package io.trainyard.device.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.check.CheckOutcome.Failed;
import io.trainyard.device.check.CheckOutcome.Passed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class CheckRunTest {
    private final DeviceCheck good = check(() -> new Passed("fine"));

    @Test
    void allRunOnOneThreadAndReportAsTheyEnd() throws InterruptedException {
        Set<Thread> threads = new HashSet<>();
        DeviceCheck counting = check(() -> {
            threads.add(Thread.currentThread());
            return new Passed("fine");
        });
        List<CheckResult> reported = new ArrayList<>();
        try (CheckRun run = new CheckRun(Patience.LIMIT)) {
            assertThat(run.run(List.of(counting, good, counting), reported::add))
                    .isEqualTo(reported)
                    .hasSize(3);
        }
        assertThat(threads).hasSize(1).doesNotContain(Thread.currentThread());
    }

    @Test
    void anExceptionIsAFailureAndTheNextCheckRuns() throws InterruptedException {
        DeviceCheck refused = check(() -> {
            throw new DeviceException("there is no such layer");
        });
        assertThat(outcomes(Patience.LIMIT, refused, good))
                .containsExactly(
                        new Failed("io.trainyard.device.DeviceException: there is no such layer"), new Passed("fine"));
    }

    @Test
    void nothingRunsOnALostDevice() throws InterruptedException {
        DeviceCheck lost = check(() -> {
            throw new DeviceLostException("gone");
        });
        assertThat(outcomes(Patience.LIMIT, good, lost, good)).hasSize(2).last().isInstanceOf(Failed.class);
    }

    @Test
    void aDeviceThatHangsIsAFailure() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        DeviceCheck hanging = check(() -> {
            try {
                never.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            return new Passed("woken");
        });
        assertThat(outcomes(Duration.ofMillis(200), hanging, good))
                .containsExactly(new Failed("did not end within the bound of 0 s for all checks"));
    }

    private static DeviceCheck check(Supplier<CheckOutcome> body) {
        return new DeviceCheck(CheckGroup.LAYERS, "some", body);
    }

    private static List<CheckOutcome> outcomes(Duration bound, DeviceCheck... checks) throws InterruptedException {
        try (CheckRun run = new CheckRun(bound)) {
            return run.run(List.of(checks), _ -> {}).stream()
                    .map(CheckResult::outcome)
                    .toList();
        }
    }
}
