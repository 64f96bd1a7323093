package io.trainyard.export;

import static java.util.Locale.ROOT;

import io.trainyard.event.JobState.Epoch;
import io.trainyard.tracking.LossSpan;
import io.trainyard.tracking.MetricPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A folder a job, with one event file: the scalars that the tutorials write, and the command as a text.
final class TensorBoardExporter implements JobExporter {
    static final String TRAIN_LOSS = "train_loss";
    /// The prefix of users' metrics, whose names may be those of ours.
    static final String USER = "user/";

    static final String TEST_LOSS = "test_loss";
    static final String VALIDATION_LOSS = "validation_loss";
    static final String TEST_ACCURACY = "test_accuracy";
    static final String TEST_MACRO_F1 = "test_macro_f1";
    static final String TEST_MEAN_ABSOLUTE_ERROR = "test_mean_absolute_error";
    private static final String COMMAND = "job";

    private final Path folder;
    private @Nullable Open open;

    private record Open(ExportedJob job, ReplacedFile file, EventFile events) {}

    TensorBoardExporter(Path folder) {
        this.folder = folder;
    }

    /// TensorBoard knows event files by their names, and reads several in the order of these.
    static String fileName(long millis) {
        return String.format(ROOT, "events.out.tfevents.%010d.trainyard", Math.max(0, millis / 1000));
    }

    @Override
    public void begin(ExportedJob job) throws IOException {
        Path run = folder.resolve(FileName.of(job.id()));
        Files.createDirectories(run);
        ReplacedFile file = new ReplacedFile(run.resolve(fileName(job.startMillis())));
        EventFile events = new EventFile(file.out());
        open = new Open(job, file, events);
        begin(events, job);
    }

    /// The header, and the command as Markdown that is shown as it is.
    static void begin(EventFile events, ExportedJob job) throws IOException {
        double seconds = job.startMillis() / 1e3;
        events.header(seconds);
        if (job.command().isPresent()) {
            events.text(COMMAND, seconds, "    " + job.command().get());
        }
    }

    @Override
    public void losses(LossSpan span) throws IOException {
        EventFile events = current().events();
        for (int i = 0; i < span.losses().length; i++) {
            events.scalar(TRAIN_LOSS, span.firstStep() + i, span.millis(i) / 1e3, span.losses()[i]);
        }
    }

    @Override
    public void metric(MetricPoints metric) throws IOException {
        for (MetricPoints.Point point : metric.points()) {
            write(metric.name(), point, current().events());
        }
    }

    static void write(String name, MetricPoints.Point point, EventFile events) throws IOException {
        events.scalar(USER + name, point.step(), point.millis() / 1e3, (float) point.value());
    }

    @Override
    public void end() throws IOException {
        Open ended = current();
        for (ExportedJob.Test test : ended.job().tests()) {
            Epoch epoch = test.epoch();
            ended.events().scalar(test.tag(TEST_LOSS), epoch.step(), test.millis() / 1e3, (float) epoch.testLoss());
            scalar(ended.events(), TEST_ACCURACY, test, epoch.testAccuracy());
            scalar(ended.events(), TEST_MACRO_F1, test, test.macroF1());
            scalar(ended.events(), TEST_MEAN_ABSOLUTE_ERROR, test, epoch.testMeanAbsoluteError());
        }
        ended.file().finish();
        close();
    }

    private static void scalar(EventFile events, String tag, ExportedJob.Test test, @Nullable Double value)
            throws IOException {
        if (value != null) {
            events.scalar(test.tag(tag), test.epoch().step(), test.millis() / 1e3, value.floatValue());
        }
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
            last.file().close();
        }
    }
}
