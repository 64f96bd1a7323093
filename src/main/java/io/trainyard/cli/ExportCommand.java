package io.trainyard.cli;

import io.trainyard.export.ExportFormat;
import io.trainyard.export.JobExport;
import io.trainyard.export.JobExport.Progress;
import io.trainyard.spec.Printable;
import io.trainyard.tracking.TrackingStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "export",
        description = {
            "Exports jobs to TensorBoard, MLflow, CSV or Parquet, or a checkpoint to ONNX.",
            "Writes the losses of all steps; a running job up to its newest stored event."
        },
        exitCodeList = {
            ExitCodes.OK_HELP,
            "1:a job is unknown; or an internal error",
            "2:a wrong option, a folder that is not empty, or no tracking store",
            ExitCodes.INTERRUPTED_HELP
        },
        subcommands = ExportOnnxCommand.class,
        footer = {
            "  ./trainyard export mlflow --output mlruns --state finished",
            "  ./trainyard export onnx tudui-1/best"
        })
public final class ExportCommand extends PlainCommand {
    private static final long SAY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int MAX_TEXT = 500;

    private long saidNanos = System.nanoTime();

    /// Required, but not for the subcommand.
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FORMAT",
            description = "Required: tensorboard, mlflow, csv or parquet.")
    private @Nullable ExportFormat format;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "JOB", description = "Ids of jobs (default: all).")
    private List<String> jobs = List.of();

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Required: the folder to write to, created if missing.")
    private @Nullable Path output;

    @Option(names = "--force", description = "Replace files of the same names in a folder that is not empty.")
    private boolean force;

    @Option(names = "--tag", paramLabel = "TAG", description = "With this tag.")
    private String tag = "";

    @Option(names = "--json", description = "Print a summary as a JSON object.")
    private boolean json;

    @Mixin
    private JobChoice choice = new JobChoice();

    @Mixin
    private TrackingOptions tracking = new TrackingOptions();

    @Override
    public Integer call() {
        ExportFormat into = required(format, "parameter: 'FORMAT'");
        Path folder = required(output, "option: '--output=DIR'");
        try (TrackingStore store = tracking.openExisting()) {
            List<String> unknown =
                    jobs.stream().filter(job -> store.job(job).isEmpty()).toList();
            if (!unknown.isEmpty()) {
                unknown.forEach(job -> terminal.err()
                        .println(Printable.text(
                                "there is no job %s in the tracking store; a job is added when a dashboard has read its records"
                                        .formatted(job),
                                MAX_TEXT)));
                return ExitCodes.FAILED;
            }
            JobExport export = new JobExport(store);
            List<String> chosen = export.find(
                    choice.query(tag),
                    state -> (jobs.isEmpty() || jobs.contains(state.job())) && choice.matches(state));
            Progress all = export.export(
                    new LinkedHashSet<>(chosen), into, folder, force, progress -> say(progress, chosen.size()));
            print(all, into, folder);
            return ExitCodes.OK;
        }
    }

    private <T> T required(@Nullable T value, String what) {
        if (value == null) {
            throw wrong("Missing required " + what);
        }
        return value;
    }

    private void say(Progress progress, int jobsInAll) {
        long now = System.nanoTime();
        if (now - saidNanos >= SAY_NANOS) {
            saidNanos = now;
            terminal.err().printf("exported %d of %d jobs, %d losses%n", progress.jobs(), jobsInAll, progress.losses());
        }
    }

    private void print(Progress all, ExportFormat into, Path folder) {
        if (json) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("format", into.word());
            fields.put("output", folder.toString());
            fields.put("jobs", all.jobs());
            fields.put("losses", all.losses());
            terminal.printJson(fields);
        } else {
            terminal.out()
                    .printf(
                            "exported %d %s with %d losses to %s%n",
                            all.jobs(), all.jobs() == 1 ? "job" : "jobs", all.losses(), folder);
        }
        terminal.out().flush();
    }
}
