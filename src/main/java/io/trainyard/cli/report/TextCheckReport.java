package io.trainyard.cli.report;

import io.trainyard.device.Device;
import io.trainyard.device.check.BenchmarkCase;
import io.trainyard.device.check.BenchmarkResult;
import io.trainyard.device.check.CheckOutcome;
import io.trainyard.device.check.CheckResult;
import io.trainyard.device.check.Difference;
import io.trainyard.spec.Printable;
import java.io.PrintStream;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// For people: a line a check, then a table in Markdown, which docs can take over.
public final class TextCheckReport implements CheckReport {
    private static final int MAX_TEXT = 2000;

    private final PrintStream out;
    private final String trainyard;

    /// Of the first device that was measured.
    private final Map<BenchmarkCase, Double> firstStepMicros = new HashMap<>();

    public TextCheckReport(PrintStream out, String trainyard) {
        this.out = out;
        this.trainyard = trainyard;
    }

    @Override
    public void begin(Device device) {
        line("checking " + describe(device));
    }

    private String describe(Device device) {
        return "%s, %s; %.1f GiB of memory; %s; Java %s; %s; Trainyard %s"
                .formatted(
                        device.info().name(),
                        device.info().description(),
                        device.info().memoryBytes() / (double) (1L << 30),
                        device.precisions().stream().sorted().toList(),
                        Runtime.version(),
                        LocalDate.now(),
                        trainyard);
    }

    @Override
    public void result(CheckResult result) {
        String what = "%s (%d ms)".formatted(result.check(), result.millis());
        switch (result.outcome()) {
            case CheckOutcome.Passed(String detail) -> line("PASS  %s: %s".formatted(what, detail));
            case CheckOutcome.Skipped(String reason) -> line("SKIP  %s: %s".formatted(what, reason));
            case CheckOutcome.Failed failed -> {
                line("FAIL  %s: %s".formatted(what, failed.reason()));
                for (Difference difference : failed.differences()) {
                    line("        " + difference);
                }
            }
        }
    }

    @Override
    public void beginBenchmark(Device device, @Nullable Device first) {
        if (first == null) {
            firstStepMicros.clear();
        }
        line("");
        line(describe(device));
        line("");
        String other =
                first == null ? "" : " | times the step on " + first.info().name();
        line("| network | batch | precision | step, micros, median | p95 | samples/s | test, millis | tests/s%s |"
                .formatted(other));
        line("|---|---|---|---|---|---|---|---|" + (other.isEmpty() ? "" : "---|"));
    }

    @Override
    public void measured(BenchmarkResult result) {
        BenchmarkCase of = result.of();
        Double first = firstStepMicros.putIfAbsent(of, result.medianStepMicros());
        line("| %s | %d | %s | %.1f | %.1f | %.0f | %.1f | %.0f |%s"
                .formatted(
                        of.network(),
                        of.batchSize(),
                        of.precision(),
                        result.medianStepMicros(),
                        result.p95StepMicros(),
                        result.samplesPerSecond(),
                        result.testMillis(),
                        result.testSamplesPerSecond(),
                        first == null ? "" : " %.2f |".formatted(result.medianStepMicros() / first)));
    }

    @Override
    public void notMeasured(BenchmarkCase of, String reason) {
        line("| %s | %d | %s | not measured: %s | | | | |"
                .formatted(of.network(), of.batchSize(), of.precision(), reason));
    }

    @Override
    public void end(int passed, int failed, int notRun, boolean allPassed) {
        line("");
        String rest = notRun == 0 ? "" : ", %d not run".formatted(notRun);
        line("%s: %d checks passed, %d failed%s".formatted(allPassed ? "PASS" : "FAIL", passed, failed, rest));
    }

    private void line(String text) {
        out.println(Printable.text(text, MAX_TEXT));
    }
}
