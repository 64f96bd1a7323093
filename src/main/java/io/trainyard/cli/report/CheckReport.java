package io.trainyard.cli.report;

import io.trainyard.device.Device;
import io.trainyard.device.check.BenchmarkCase;
import io.trainyard.device.check.BenchmarkResult;
import io.trainyard.device.check.CheckResult;
import org.jspecify.annotations.Nullable;

/// Reports the progress of a device check.
public interface CheckReport {
    void begin(Device device);

    void result(CheckResult result);

    /// @param first the device that was measured just before, and that this one is compared with; null: none
    void beginBenchmark(Device device, @Nullable Device first);

    void measured(BenchmarkResult result);

    void notMeasured(BenchmarkCase of, String reason);

    /// @param notRun checks that did not begin: the time was over, or the device lost
    void end(int passed, int failed, int notRun, boolean allPassed);
}
