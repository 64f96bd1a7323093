package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.Page;
import io.trainyard.cli.report.CheckReport;
import io.trainyard.cli.report.JsonCheckReport;
import io.trainyard.cli.report.TextCheckReport;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.device.Device;
import io.trainyard.device.check.BenchmarkCase;
import io.trainyard.device.check.BenchmarkResult;
import io.trainyard.device.check.CheckGroup;
import io.trainyard.device.check.CheckOutcome;
import io.trainyard.device.check.CheckResult;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.DeviceCheck;
import io.trainyard.device.check.Difference;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.spec.Precision;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CheckDeviceCommandTest {
    private static final int CHECKS =
            CheckWorkload.optimizers().size() + CheckWorkload.loops().size();

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final StringWriter errors = new StringWriter();
    private final PrintStream out = new PrintStream(written, true, UTF_8);

    @Test
    void everyCheckIsALineAndSoIsTheVerdict() {
        assertThat(run("cpu", "--only", "optimizers", "--minutes", "5")).isZero();
        List<String> lines = lines();
        assertThat(lines.getFirst()).startsWith("checking cpu, ").contains("oneDNN", "[fp32", "Java 25");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("PASS  optimizers: "))
                .hasSize(CHECKS);
        assertThat(lines.getLast()).isEqualTo("PASS: %d checks passed, 0 failed".formatted(CHECKS));
    }

    @Test
    void printsEachCheckAsJson() throws IOException {
        assertThat(run("cpu", "--only=optimizers", "--json")).isZero();
        List<String> lines = lines();
        assertThat(lines).hasSize(CHECKS + 2);
        assertThat(json(lines.getFirst()).path("precisions").path(0).asText()).isEqualTo("fp32");
        assertThat(json(lines.get(1)).path("outcome").asText()).isEqualTo("passed");
        assertThat(json(lines.getLast()).path("allPassed").asBoolean()).isTrue();
    }

    @Test
    void wrongOptionsAndMissingDevicesAreBadInput() {
        assertThat(run("gpu")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("cpu", "--only", "layers,speed")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("cpu", "--minutes", "0")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(errors.toString())
                .contains(
                        "\"gpu\"",
                        "\"speed\" is none of golden, determinism,",
                        "--minutes is 0.0; allowed is 0.1 to 1440");
        assertThat(lines()).isEmpty();
    }

    @Test
    void failuresAreListedAndDevicesCompared() {
        CheckReport report = new TextCheckReport(out, "1.0");
        report.result(failure());
        Device device = ReferenceComparison.reference();
        report.beginBenchmark(device, null);
        BenchmarkCase tudui = new BenchmarkCase("tudui", List.of(), 64, Precision.FP32, 640, 100);
        report.measured(new BenchmarkResult("a", tudui, 500, 600.25, 10, 20));
        report.beginBenchmark(device, device);
        report.measured(new BenchmarkResult("b", tudui, 1250, 1300, 10, 40));
        report.notMeasured(tudui, "no memory");
        report.end(1, 2, 3, false);
        assertThat(lines())
                .contains(
                        "FAIL  layers: conv (7 ms): 1 values differ",
                        "        gradient 0.weight[3] is 2.5, expected is 2.0 within 1.0e-01",
                        "| tudui | 64 | fp32 | 500.0 | 600.3 | 128000 | 20.0 | 5000 |",
                        "| tudui | 64 | fp32 | 1250.0 | 1300.0 | 51200 | 40.0 | 2500 | 2.50 |",
                        "| tudui | 64 | fp32 | not measured: no memory | | | | |",
                        "FAIL: 1 checks passed, 2 failed, 3 not run");
    }

    @Test
    void failuresAreListedAsJson() throws IOException {
        CheckReport report = new JsonCheckReport(out, "1.0");
        report.result(failure());
        JsonNode difference = json(lines().getFirst()).path("differences").path(0);
        assertThat(difference.path("value").asText()).isEqualTo("gradient 0.weight[3]");
        assertThat(difference.path("expected").asDouble()).isEqualTo(2);
        assertThat(difference.path("actual").asDouble()).isEqualTo(2.5);
        assertThat(difference.path("allowed").asDouble()).isEqualTo(0.1);
    }

    /// docs/how-to/check-a-node.md defines the fields of each line for programs.
    @Test
    void asJsonEachLineHasTheFieldsOfThePage() throws IOException {
        Map<String, Set<String>> published = new HashMap<>();
        Page.read("docs/how-to/check-a-node.md")
                .section("## As JSON")
                .table()
                .forEach(row -> published.put(Page.code(row, 0).getFirst(), new TreeSet<>(Page.code(row, 1))));
        Device device = ReferenceComparison.reference();
        BenchmarkCase tudui = new BenchmarkCase("tudui", List.of(), 64, Precision.FP32, 640, 100);
        CheckReport report = new JsonCheckReport(out, "1.0");
        report.begin(device);
        report.result(failure());
        report.beginBenchmark(device, null);
        report.measured(new BenchmarkResult("a", tudui, 500, 600.25, 10, 20));
        report.notMeasured(tudui, "no memory");
        report.end(1, 2, 3, false);

        Map<String, Set<String>> found = new HashMap<>();
        for (String line : lines()) {
            JsonNode json = json(line);
            Set<String> fields = found.computeIfAbsent(json.path("event").asText(), _ -> new TreeSet<>());
            json.fieldNames().forEachRemaining(fields::add);
            json.path("differences").path(0).fieldNames().forEachRemaining(fields::add);
            fields.remove("event");
        }
        Objects.requireNonNull(found.get("check"))
                .addAll(List.of("passed", "failed", "skipped")); // the possible outcomes
        assertThat(published).isEqualTo(found);
    }

    private static CheckResult failure() {
        var outcome = new CheckOutcome.Failed(
                "1 values differ", List.of(new Difference("gradient 0.weight[3]", 2, 2.5, 0.1)));
        return new CheckResult(new DeviceCheck(CheckGroup.LAYERS, "conv", () -> outcome), outcome, 7);
    }

    private int run(String... arguments) {
        Terminal terminal = new Terminal(InputStream.nullInputStream(), out, out, false);
        return TestCommands.commandLine(new CheckDeviceCommand(), terminal)
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }

    private List<String> lines() {
        return written.toString(UTF_8).lines().toList();
    }

    private static JsonNode json(String line) throws IOException {
        return new ObjectMapper().readTree(line);
    }
}
