package io.trainyard.export;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.JobField;
import io.trainyard.spec.Printable;
import io.trainyard.tracking.LossSpan;
import io.trainyard.tracking.MetricPoints;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The folders of MLflow's file store: an experiment, and in it a run a job, with files of its metrics,
/// parameters and tags.
final class MlflowExporter implements JobExporter {
    private static final String EXPERIMENT = "trainyard";

    /// Any number that no other experiment in the same folder has.
    private static final String EXPERIMENT_ID = "812604471839227015";

    /// Of a parameter's value, in characters.
    private static final int MAX_VALUE = 6000;

    private static final int MAX_NAME = 200;
    private static final int LOCAL_SOURCE = 4;
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Path experiment;
    private @Nullable Open open;

    private record Open(ExportedJob job, Path run, ReplacedFile losses) {}

    MlflowExporter(Path folder) throws IOException {
        experiment = folder.resolve(EXPERIMENT_ID);
        Files.createDirectories(experiment);
        long now = System.currentTimeMillis();
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put("artifact_location", experiment.toAbsolutePath().toUri().toString());
        meta.put("creation_time", now);
        meta.put("experiment_id", EXPERIMENT_ID);
        meta.put("last_update_time", now);
        meta.put("lifecycle_stage", "active");
        meta.put("name", EXPERIMENT);
        writeYaml(experiment.resolve("meta.yaml"), meta);
    }

    /// The same for the same job each time.
    static String runId(String job) {
        return UUID.nameUUIDFromBytes((EXPERIMENT + "/" + job).getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
    }

    @Override
    public void begin(ExportedJob job) throws IOException {
        Path run = experiment.resolve(runId(job.id()));
        for (String folder : new String[] {"metrics", "params", "tags", "artifacts"}) {
            Files.createDirectories(run.resolve(folder));
        }
        open = new Open(job, run, new ReplacedFile(run.resolve("metrics/" + TensorBoardExporter.TRAIN_LOSS)));
    }

    @Override
    public void losses(LossSpan span) throws IOException {
        OutputStream out = current().losses().out();
        for (int i = 0; i < span.losses().length; i++) {
            out.write(metric(Math.round(span.millis(i)), span.losses()[i], span.firstStep() + i));
        }
    }

    /// The file's name has no slash, since one metric may be named like the folder of another.
    @Override
    public void metric(MetricPoints metric) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (MetricPoints.Point point : metric.points()) {
            lines.append(line(point.millis(), Double.toString(point.value()), point.step()));
        }
        String name = (TensorBoardExporter.USER + metric.name()).replace('/', ' ');
        write(current().run().resolve("metrics").resolve(name), lines.toString());
    }

    @Override
    public void end() throws IOException {
        Open ended = current();
        ended.losses().finish();
        close();
        Path run = ended.run();
        writeTests(ended.job(), run.resolve("metrics"));
        if (ended.job().command().isPresent()) {
            writeParameters(ended.job().command().get(), run.resolve("params"));
        }
        for (var tag : tags(ended.job()).entrySet()) {
            if (tag.getValue() != null) {
                write(run.resolve("tags").resolve(tag.getKey()), tag.getValue());
            }
        }
        writeYaml(run.resolve("meta.yaml"), meta(ended.job(), run)); // written last, because it completes the run
    }

    private static void writeTests(ExportedJob job, Path metrics) throws IOException {
        Map<String, StringBuilder> lines = new LinkedHashMap<>();
        for (ExportedJob.Test test : job.tests()) {
            Epoch epoch = test.epoch();
            append(test, TensorBoardExporter.TEST_LOSS, epoch.testLoss(), lines);
            append(test, TensorBoardExporter.TEST_ACCURACY, epoch.testAccuracy(), lines);
            append(test, TensorBoardExporter.TEST_MACRO_F1, test.macroF1(), lines);
            append(test, TensorBoardExporter.TEST_MEAN_ABSOLUTE_ERROR, epoch.testMeanAbsoluteError(), lines);
        }
        for (var metric : lines.entrySet()) {
            write(metrics.resolve(metric.getKey()), metric.getValue().toString());
        }
    }

    private static void append(
            ExportedJob.Test test, String name, @Nullable Double value, Map<String, StringBuilder> lines) {
        if (value != null) {
            lines.computeIfAbsent(test.tag(name), _ -> new StringBuilder())
                    .append(line(
                            test.millis(), Double.toString(value), test.epoch().step()));
        }
    }

    private static byte[] metric(long millis, float value, long step) {
        return line(millis, Float.toString(value), step).getBytes(StandardCharsets.US_ASCII);
    }

    /// Python reads `NaN` and `Infinity` as Java writes them.
    private static String line(long millis, String value, long step) {
        return millis + " " + value + " " + step + "\n";
    }

    /// Each field of the command is a parameter; a list is one, as JSON.
    private static void writeParameters(String command, Path folder) throws IOException {
        for (var field : JobField.values(MAPPER.readTree(command)).entrySet()) {
            write(folder.resolve(field.getKey()), Printable.text(JobField.text(field.getValue()), MAX_VALUE));
        }
    }

    private static Map<String, @Nullable String> tags(ExportedJob job) {
        JobState state = job.state();
        Map<String, @Nullable String> tags = new LinkedHashMap<>();
        tags.put("mlflow.runName", Printable.text(job.id(), MAX_NAME));
        tags.put("mlflow.source.name", EXPERIMENT);
        tags.put("mlflow.source.type", "LOCAL");
        tags.put(
                "mlflow.note.content",
                job.remarks().note().isEmpty() ? null : job.remarks().note());
        tags.put("trainyard.job", job.id());
        tags.put("trainyard.state", state.status().word());
        tags.put("trainyard.tags", String.join(" ", job.remarks().tags()));
        tags.put("trainyard.device", state.device());
        tags.put("trainyard.worker", state.worker());
        tags.put("trainyard.reason", state.reason());
        tags.put("trainyard.checkpoint", state.checkpoint());
        return tags;
    }

    private static Map<String, @Nullable Object> meta(ExportedJob job, Path run) {
        String id = runId(job.id());
        Map<String, @Nullable Object> meta = new LinkedHashMap<>();
        meta.put(
                "artifact_uri",
                run.resolve("artifacts").toAbsolutePath().toUri().toString());
        meta.put("end_time", job.endMillis().orElse(null));
        meta.put("entry_point_name", "");
        meta.put("experiment_id", EXPERIMENT_ID);
        meta.put("lifecycle_stage", "active");
        meta.put("run_id", id);
        meta.put("run_name", Printable.text(job.id(), MAX_NAME));
        meta.put("run_uuid", id);
        meta.put("source_name", EXPERIMENT);
        meta.put("source_type", LOCAL_SOURCE);
        meta.put("source_version", "");
        meta.put("start_time", job.startMillis());
        meta.put("status", status(job.state().status()));
        meta.put("tags", new String[0]);
        meta.put("user_id", EXPERIMENT);
        return meta;
    }

    /// MLflow's numbers: 1 runs, 2 is scheduled, 3 has finished, 4 has failed, 5 was killed.
    private static int status(Status status) {
        return switch (status) {
            case RUNNING -> 1;
            case QUEUED, PAUSED -> 2;
            case FINISHED, EXPANDED -> 3;
            case FAILED, REJECTED -> 4;
            case CANCELLED -> 5;
        };
    }

    /// JSON is YAML.
    private static void writeYaml(Path file, Map<String, ? extends @Nullable Object> fields) throws IOException {
        ReplacedFile.write(file, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(fields));
    }

    private static void write(Path file, String text) throws IOException {
        ReplacedFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void finish() {}

    private Open current() {
        return Objects.requireNonNull(open, "no run was started");
    }

    @Override
    public void close() throws IOException {
        Open last = open;
        open = null;
        if (last != null) {
            last.losses().close();
        }
    }
}
