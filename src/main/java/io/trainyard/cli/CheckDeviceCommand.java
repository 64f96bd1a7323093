package io.trainyard.cli;

import io.trainyard.cli.report.CheckReport;
import io.trainyard.cli.report.JsonCheckReport;
import io.trainyard.cli.report.TextCheckReport;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceChoice;
import io.trainyard.device.Devices;
import io.trainyard.device.check.Benchmark;
import io.trainyard.device.check.BenchmarkCase;
import io.trainyard.device.check.BenchmarkResult;
import io.trainyard.device.check.CheckGroup;
import io.trainyard.device.check.CheckResult;
import io.trainyard.device.check.CheckRun;
import io.trainyard.device.check.CheckRun.OutOfTimeException;
import io.trainyard.device.check.DeviceCheck;
import io.trainyard.device.check.DeviceChecks;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Printable;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

@Command(
        name = "check-device",
        description = {
            "Checks the results of a device and measures its speed.",
            "",
            "golden       200 steps of tudui, compared with losses recorded from PyTorch",
            "determinism  two runs of the same work give the same bits",
            "layers       forward and backward, compared with plain loops, all precisions",
            "losses       compared with plain loops",
            "optimizers   compared with plain loops",
            "memory       after 50 sessions the device has as much free memory as before",
            "divergence   NaN and infinities pass through every layer, as in plain loops",
            "benchmark    steps and tests of the built-in networks",
            "sweep        lenet, up to 8 times as wide, batches of 4 to 1024; not by default"
        },
        exitCodeList = {
            "0:all checks passed",
            "1:a check failed, or exceeded --minutes",
            "2:a wrong option, or the device is not available"
        },
        footer = {
            "  ./trainyard check-device cuda:0 --against cpu",
            "  ./trainyard check-device cpu --only layers,golden --json"
        })
public final class CheckDeviceCommand extends PlainCommand {
    private static final double MIN_MINUTES = 0.1;
    private static final double MAX_MINUTES = 24 * 60;

    private DeviceSpec spec = DeviceSpec.AUTO;
    private @Nullable DeviceSpec against;
    private double minutes = 15;

    @Parameters(paramLabel = "DEVICE", arity = "0..1", description = "auto, cpu, cuda or cuda:N (default: auto).")
    void setDevice(String name) {
        spec = device(name);
    }

    @Option(
            names = "--only",
            paramLabel = "WHAT",
            split = ",",
            converter = GroupConverter.class,
            description = "Only these checks.")
    private List<CheckGroup> only = List.copyOf(CheckGroup.USUAL);

    @Option(
            names = "--precision",
            paramLabel = "P",
            split = ",",
            converter = PrecisionConverter.class,
            description =
                    "fp32, tf32 or bf16: only these precisions in layers, divergence, golden, determinism and benchmark.")
    private List<Precision> precisions = List.of(Precision.values());

    @Option(names = "--no-bench", description = "Skip the benchmark.")
    private boolean noBenchmark;

    @Option(names = "--against", paramLabel = "DEVICE", description = "Also measure this device, for comparison.")
    void setAgainst(String name) {
        against = device(name);
    }

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Time limit for all checks; unfinished ones fail (default: 15).")
    void setMinutes(double number) {
        if (!(number >= MIN_MINUTES && number <= MAX_MINUTES)) {
            throw wrong("--minutes is %s; allowed is %s to %.0f".formatted(number, MIN_MINUTES, MAX_MINUTES));
        }
        minutes = number;
    }

    @Option(names = "--json", description = "Print JSON objects, one per line.")
    private boolean json;

    private DeviceSpec device(String name) {
        try {
            return new DeviceSpec(name);
        } catch (InvalidJobException e) {
            throw wrong(Printable.text(String.valueOf(e.getMessage()), 1000));
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        Set<CheckGroup> groups = EnumSet.copyOf(only);
        if (noBenchmark) {
            groups.remove(CheckGroup.BENCHMARK);
        }
        CheckReport report = json
                ? new JsonCheckReport(terminal.out(), CommandLines.version())
                : new TextCheckReport(terminal.out(), CommandLines.version());
        if (spec.isAuto() && !json) {
            DeviceChoice choice = Devices.choice();
            terminal.out().println(Printable.text("auto takes %s: %s".formatted(choice.kind(), choice.reason()), 1000));
        }
        Device device = Devices.open(spec);
        report.begin(device);
        List<DeviceCheck> checks = DeviceChecks.of(device, groups, EnumSet.copyOf(precisions));
        try (CheckRun run = new CheckRun(Duration.ofMillis(Math.round(minutes * 60_000)))) {
            List<CheckResult> results = run.run(checks, report::result);
            long failed =
                    results.stream().filter(result -> result.outcome().failed()).count();
            int notRun = checks.size() - results.size();
            boolean measured = notRun > 0 || measure(run, device, groups, report);
            boolean passed = failed == 0 && notRun == 0 && measured;
            report.end(results.size() - (int) failed, (int) failed, notRun, passed);
            return passed ? ExitCodes.OK : ExitCodes.FAILED;
        }
    }

    /// @return false if a benchmark failed
    private boolean measure(CheckRun run, Device device, Set<CheckGroup> groups, CheckReport report)
            throws InterruptedException {
        boolean all = true;
        if (groups.contains(CheckGroup.BENCHMARK)) {
            all = measure(
                    run, device, BenchmarkCase.usual(device, EnumSet.copyOf(precisions)), Benchmark::thorough, report);
        }
        if (groups.contains(CheckGroup.SWEEP)) {
            all &= measure(run, device, BenchmarkCase.sweep(), Benchmark::brief, report);
        }
        return all;
    }

    /// Measures on the device, then on the device with which it is compared.
    private boolean measure(
            CheckRun run,
            Device device,
            List<BenchmarkCase> cases,
            Function<Device, Benchmark> benchmark,
            CheckReport report)
            throws InterruptedException {
        report.beginBenchmark(device, null);
        boolean all = measure(run, benchmark.apply(device), cases, report);
        if (against != null) {
            Device other = Devices.open(against);
            report.beginBenchmark(other, device);
            List<BenchmarkCase> possible = cases.stream()
                    .filter(of -> other.precisions().contains(of.precision()))
                    .toList();
            all &= measure(run, benchmark.apply(other), possible, report);
        }
        return all;
    }

    private static boolean measure(CheckRun run, Benchmark benchmark, List<BenchmarkCase> cases, CheckReport report)
            throws InterruptedException {
        boolean all = true;
        for (BenchmarkCase of : cases) {
            try {
                BenchmarkResult result = run.within(() -> benchmark.measure(of));
                report.measured(result);
            } catch (ExecutionException e) {
                report.notMeasured(of, String.valueOf(e.getCause()));
                all = false;
            } catch (OutOfTimeException e) {
                report.notMeasured(of, String.valueOf(e.getMessage()));
                return false;
            }
        }
        return all;
    }

    static final class GroupConverter implements ITypeConverter<CheckGroup> {
        @Override
        public CheckGroup convert(String value) {
            return oneOf(CheckGroup.values(), value);
        }
    }

    static final class PrecisionConverter implements ITypeConverter<Precision> {
        @Override
        public Precision convert(String value) {
            return oneOf(Precision.values(), value);
        }
    }

    private static <T> T oneOf(T[] allowed, String value) {
        return Stream.of(allowed)
                .filter(each -> each.toString().equals(value))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("\"%s\" is none of %s"
                        .formatted(
                                Printable.text(value, 100),
                                Stream.of(allowed).map(Object::toString).collect(Collectors.joining(", ")))));
    }
}
