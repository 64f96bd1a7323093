package io.trainyard.export;

import static io.trainyard.export.Columns.column;
import static io.trainyard.export.Columns.optional;

import io.trainyard.event.ClassMetrics;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.export.Columns.Type;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.LossSpan;
import io.trainyard.tracking.MetricPoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Four tables: of jobs, of losses, of tested epochs, of users' metrics.
final class TableExporter implements JobExporter {
    private static final Columns JOBS = new Columns(
            "jobs",
            List.of(
                    column("job", Type.TEXT),
                    column("state", Type.TEXT),
                    optional("network", Type.TEXT),
                    optional("dataset", Type.TEXT),
                    optional("device", Type.TEXT),
                    optional("worker", Type.TEXT),
                    column("attempt", Type.INTEGER),
                    column("step", Type.LONG),
                    column("steps", Type.LONG),
                    optional("loss", Type.FLOAT),
                    optional("test_accuracy", Type.DOUBLE),
                    optional("start", Type.TIME),
                    column("duration_millis", Type.LONG),
                    optional("reason", Type.TEXT),
                    optional("checkpoint", Type.TEXT),
                    optional("tags", Type.TEXT),
                    optional("note", Type.TEXT),
                    optional("command", Type.TEXT)));
    private static final Columns LOSSES = new Columns(
            "losses",
            List.of(
                    column("job", Type.TEXT),
                    column("attempt", Type.INTEGER),
                    column("epoch", Type.INTEGER),
                    column("step", Type.LONG),
                    column("loss", Type.FLOAT),
                    optional("learning_rate", Type.DOUBLE),
                    column("time", Type.TIME)));
    private static final Columns EPOCHS = new Columns(
            "epochs",
            List.of(
                    column("job", Type.TEXT),
                    column("attempt", Type.INTEGER),
                    column("epoch", Type.INTEGER),
                    column("step", Type.LONG),
                    column("test_loss", Type.DOUBLE),
                    optional("test_accuracy", Type.DOUBLE),
                    column("accuracy_low", Type.DOUBLE),
                    column("accuracy_high", Type.DOUBLE),
                    optional("macro_precision", Type.DOUBLE),
                    optional("macro_recall", Type.DOUBLE),
                    optional("macro_f1", Type.DOUBLE),
                    optional("macro_f1_low", Type.DOUBLE),
                    optional("macro_f1_high", Type.DOUBLE),
                    optional("test_mean_absolute_error", Type.DOUBLE),
                    column("samples_per_second", Type.DOUBLE),
                    column("time", Type.TIME),
                    optional("steps_micros", Type.LONG),
                    optional("batches_micros", Type.LONG),
                    optional("checkpoints_micros", Type.LONG),
                    optional("test_micros", Type.LONG),
                    optional("other_micros", Type.LONG),
                    column("part", Type.TEXT)));
    private static final Columns METRICS = new Columns(
            "metrics",
            List.of(
                    column("job", Type.TEXT),
                    column("name", Type.TEXT),
                    column("step", Type.LONG),
                    column("value", Type.DOUBLE),
                    column("time", Type.TIME)));

    private final List<Table> open = new ArrayList<>();
    private final Table jobs;
    private final Table losses;
    private final Table epochs;
    private final Table metrics;
    private String job = "";

    TableExporter(Table.Factory maker) throws IOException {
        try {
            jobs = open(maker, JOBS);
            losses = open(maker, LOSSES);
            epochs = open(maker, EPOCHS);
            metrics = open(maker, METRICS);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private Table open(Table.Factory maker, Columns columns) throws IOException {
        Table table = maker.make(columns);
        open.add(table);
        return table;
    }

    @Override
    public void begin(ExportedJob exported) throws IOException {
        JobState state = exported.state();
        JobSpec spec = state.spec();
        job = exported.id();
        jobs.row(
                job,
                state.status().word(),
                spec == null ? null : spec.network().label(),
                spec == null ? null : spec.dataset().name(),
                state.device(),
                state.worker(),
                state.attempt(),
                state.step(),
                state.steps(),
                state.loss(),
                state.testAccuracy(),
                state.startMillis() == 0 ? null : state.startMillis(),
                state.durationMillis(),
                state.reason(),
                state.checkpoint(),
                given(String.join(" ", exported.remarks().tags())),
                given(exported.remarks().note()),
                exported.command().orElse(null));
        for (ExportedJob.Test test : exported.tests()) {
            write(test);
        }
    }

    private void write(ExportedJob.Test test) throws IOException {
        JobState.Epoch epoch = test.epoch();
        EpochTime time = epoch.epochTime();
        ClassMetrics metrics = test.metrics();
        epochs.row(
                job,
                epoch.attempt(),
                epoch.epoch(),
                epoch.step(),
                epoch.testLoss(),
                epoch.testAccuracy(),
                epoch.accuracyLow(),
                epoch.accuracyHigh(),
                metrics == null ? null : metrics.macroPrecision(),
                metrics == null ? null : metrics.macroRecall(),
                metrics == null ? null : metrics.macroF1(),
                metrics == null ? null : metrics.macroF1Low(),
                metrics == null ? null : metrics.macroF1High(),
                epoch.testMeanAbsoluteError(),
                epoch.samplesPerSecond(),
                test.millis(),
                time == null ? null : time.stepsMicros(),
                time == null ? null : time.batchesMicros(),
                time == null ? null : time.checkpointsMicros(),
                time == null ? null : time.testMicros(),
                time == null ? null : time.otherMicros(),
                Part.word(epoch.part()));
    }

    @Override
    public void losses(LossSpan span) throws IOException {
        for (int i = 0; i < span.losses().length; i++) {
            losses.row(
                    job,
                    span.attempt(),
                    span.epoch(),
                    span.firstStep() + i,
                    span.losses()[i],
                    span.learningRate(),
                    Math.round(span.millis(i)));
        }
    }

    @Override
    public void metric(MetricPoints metric) throws IOException {
        for (MetricPoints.Point point : metric.points()) {
            metrics.row(job, metric.name(), point.step(), point.value(), point.millis());
        }
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }

    @Override
    public void end() {}

    @Override
    public void finish() throws IOException {
        for (Table table : open) {
            table.finish();
        }
    }

    @Override
    public void close() throws IOException {
        for (Table table : open) {
            table.close();
        }
    }
}
