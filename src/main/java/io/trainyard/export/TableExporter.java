package io.trainyard.export;

import static io.trainyard.export.Columns.column;
import static io.trainyard.export.Columns.optional;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.export.Columns.Type;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.LossSpan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Three tables: of jobs, of losses, of tested epochs.
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
                    optional("test_mean_absolute_error", Type.DOUBLE),
                    column("samples_per_second", Type.DOUBLE),
                    column("time", Type.TIME),
                    optional("steps_micros", Type.LONG),
                    optional("batches_micros", Type.LONG),
                    optional("checkpoints_micros", Type.LONG),
                    optional("test_micros", Type.LONG),
                    optional("other_micros", Type.LONG)));

    private final List<Table> open = new ArrayList<>();
    private final Table jobs;
    private final Table losses;
    private final Table epochs;
    private String job = "";

    TableExporter(Table.Maker maker) throws IOException {
        try {
            jobs = open(maker, JOBS);
            losses = open(maker, LOSSES);
            epochs = open(maker, EPOCHS);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private Table open(Table.Maker maker, Columns columns) throws IOException {
        Table table = maker.make(columns);
        open.add(table);
        return table;
    }

    @Override
    public void begin(ExportedJob exported) throws IOException {
        JobState state = exported.state();
        JobSpec spec = state.spec();
        job = exported.id();
        jobs.text(job);
        jobs.text(state.status().word());
        jobs.text(spec == null ? null : spec.network().label());
        jobs.text(spec == null ? null : spec.dataset().name());
        jobs.text(state.device());
        jobs.text(state.worker());
        jobs.number(state.attempt());
        jobs.number(state.step());
        jobs.number(state.steps());
        Float loss = state.loss();
        if (loss == null) {
            jobs.nothing();
        } else {
            jobs.real((float) loss);
        }
        real(jobs, state.testAccuracy());
        if (state.startMillis() == 0) {
            jobs.nothing();
        } else {
            jobs.number(state.startMillis());
        }
        jobs.number(state.durationMillis());
        jobs.text(state.reason());
        jobs.text(state.checkpoint());
        jobs.text(given(String.join(" ", exported.remarks().tags())));
        jobs.text(given(exported.remarks().note()));
        jobs.text(exported.command().orElse(null));
        jobs.endRow();
        for (ExportedJob.Test test : exported.tests()) {
            write(test);
        }
    }

    private void write(ExportedJob.Test test) throws IOException {
        JobState.Epoch epoch = test.epoch();
        epochs.text(job);
        epochs.number(epoch.attempt());
        epochs.number(epoch.epoch());
        epochs.number(epoch.step());
        epochs.real(epoch.testLoss());
        real(epochs, epoch.testAccuracy());
        epochs.real(epoch.accuracyLow());
        epochs.real(epoch.accuracyHigh());
        real(epochs, epoch.testMeanAbsoluteError());
        epochs.real(epoch.samplesPerSecond());
        epochs.number(test.millis());
        EpochTime time = epoch.epochTime();
        number(epochs, time == null ? null : Long.valueOf(time.stepsMicros()));
        number(epochs, time == null ? null : time.batchesMicros());
        number(epochs, time == null ? null : Long.valueOf(time.checkpointsMicros()));
        number(epochs, time == null ? null : Long.valueOf(time.testMicros()));
        number(epochs, time == null ? null : Long.valueOf(time.otherMicros()));
        epochs.endRow();
    }

    @Override
    public void losses(LossSpan span) throws IOException {
        for (int i = 0; i < span.losses().length; i++) {
            losses.text(job);
            losses.number(span.attempt());
            losses.number(span.epoch());
            losses.number(span.firstStep() + i);
            losses.real(span.losses()[i]);
            real(losses, span.learningRate());
            losses.number(Math.round(span.millis(i)));
            losses.endRow();
        }
    }

    private static void number(Table table, @Nullable Long value) throws IOException {
        if (value == null) {
            table.nothing();
        } else {
            table.number(value);
        }
    }

    private static void real(Table table, @Nullable Double value) throws IOException {
        if (value == null) {
            table.nothing();
        } else {
            table.real((double) value);
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
