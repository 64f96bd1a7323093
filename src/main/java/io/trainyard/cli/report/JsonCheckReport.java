package io.trainyard.cli.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.device.Device;
import io.trainyard.device.check.BenchmarkCase;
import io.trainyard.device.check.BenchmarkResult;
import io.trainyard.device.check.CheckOutcome;
import io.trainyard.device.check.CheckResult;
import java.io.PrintStream;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/// One JSON object per line, with its type in `event`.
public final class JsonCheckReport implements CheckReport {
    private final PrintStream out;
    private final String trainyard;
    private String benchmarked = "";

    public JsonCheckReport(PrintStream out, String trainyard) {
        this.out = out;
        this.trainyard = trainyard;
    }

    @Override
    public void begin(Device device) {
        ObjectNode line = event("checking")
                .put("device", device.info().name())
                .put("description", device.info().description())
                .put("memoryBytes", device.info().memoryBytes())
                .put("java", Runtime.version().toString())
                .put("trainyard", trainyard)
                .put("date", LocalDate.now().toString());
        ArrayNode precisions = line.putArray("precisions");
        device.precisions().stream().sorted().forEach(precision -> precisions.add(precision.toString()));
        print(line);
    }

    @Override
    public void result(CheckResult result) {
        ObjectNode line = event("check")
                .put("group", result.check().group().toString())
                .put("name", result.check().name())
                .put("millis", result.millis());
        switch (result.outcome()) {
            case CheckOutcome.Passed(String detail) ->
                line.put("outcome", "passed").put("detail", detail);
            case CheckOutcome.Skipped(String reason) ->
                line.put("outcome", "skipped").put("detail", reason);
            case CheckOutcome.Failed failed -> {
                line.put("outcome", "failed").put("detail", failed.reason());
                ArrayNode differences = line.putArray("differences");
                failed.differences()
                        .forEach(difference -> differences
                                .addObject()
                                .put("value", difference.value())
                                .put("expected", difference.expected())
                                .put("actual", difference.actual())
                                .put("allowed", difference.allowed()));
            }
        }
        print(line);
    }

    @Override
    public void beginBenchmark(Device device, @Nullable Device first) {
        benchmarked = device.info().name();
    }

    @Override
    public void measured(BenchmarkResult result) {
        print(benchmark(result.of())
                .put("medianStepMicros", result.medianStepMicros())
                .put("p95StepMicros", result.p95StepMicros())
                .put("steps", result.steps())
                .put("samplesPerSecond", result.samplesPerSecond())
                .put("testMillis", result.testMillis())
                .put("testSamplesPerSecond", result.testSamplesPerSecond()));
    }

    @Override
    public void notMeasured(BenchmarkCase of, String reason) {
        print(benchmark(of).put("notMeasured", reason));
    }

    private ObjectNode benchmark(BenchmarkCase of) {
        return event("benchmark")
                .put("device", benchmarked)
                .put("network", of.network())
                .put("batchSize", of.batchSize())
                .put("precision", of.precision().toString());
    }

    @Override
    public void end(int passed, int failed, int notRun, boolean allPassed) {
        print(event("end")
                .put("passed", passed)
                .put("failed", failed)
                .put("notRun", notRun)
                .put("allPassed", allPassed));
    }

    private static ObjectNode event(String name) {
        return JsonNodeFactory.instance.objectNode().put("event", name);
    }

    private void print(ObjectNode line) {
        out.println(line);
    }
}
