package io.trainyard.export;

import static java.util.Locale.ROOT;

import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.tracking.MetricPoints;
import io.trainyard.tracking.TrackingStore;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Event files that grow with their jobs, for TensorBoard. The file itself determines its last step, and
/// missing records are read from the tracking store: so each step is written once, after any interruption. If
/// two attempts published a step, the file keeps the first. Used by one thread.
public final class LiveTensorBoardExporter {
    private static final int MAX_KNOWN = 1000;
    private static final String SUFFIX = ".trainyard-live";

    private final TrackingStore store;
    private final Path folder;
    private final Map<String, Written> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Written> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    private static final class Written {
        private final Path file;
        private boolean begun;
        private long lossStep;
        private final Map<String, Long> testSteps = new HashMap<>(); // by the tag of the loss
        private final Map<String, Long> metricSteps = new HashMap<>(); // the last one, by tag

        Written(Path file) {
            this.file = file;
        }
    }

    public LiveTensorBoardExporter(TrackingStore store, Path folder) {
        this.store = store;
        this.folder = folder;
    }

    /// Adds to a job's file what the store has more of it.
    public void append(String job) throws IOException {
        Optional<JobState> state = store.job(job);
        if (state.isEmpty()) {
            return; // it was forgotten meanwhile
        }
        ExportedJob exported = ExportedJob.of(state.get(), store);
        Written written = known.get(job);
        if (written == null) {
            written = find(exported);
        }
        known.remove(job); // if writing fails, the file is read again
        append(exported, written);
        known.put(job, written);
    }

    private void append(ExportedJob job, Written written) throws IOException {
        try (OutputStream out = new BufferedOutputStream(
                Files.newOutputStream(written.file, StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
            EventFile events = new EventFile(out);
            if (!written.begun) {
                TensorBoardExporter.begin(events, job);
                written.begun = true;
            }
            store.eachLoss(job.id(), written.lossStep + 1, span -> {
                for (int i = 0; i < span.losses().length; i++) {
                    written.lossStep = span.firstStep() + i;
                    events.scalar(
                            TensorBoardExporter.TRAIN_LOSS, written.lossStep, span.millis(i) / 1e3, span.losses()[i]);
                }
            });
            store.eachMetric(job.id(), metric -> {
                String tag = TensorBoardExporter.USER + metric.name();
                for (MetricPoints.Point point : metric.points()) {
                    if (point.step() > written.metricSteps.getOrDefault(tag, -1L)) {
                        written.metricSteps.put(tag, point.step());
                        TensorBoardExporter.write(metric.name(), point, events);
                    }
                }
            });
            for (ExportedJob.Test test : job.tests()) {
                String tag = test.tag(TensorBoardExporter.TEST_LOSS);
                if (test.epoch().step() > written.testSteps.getOrDefault(tag, 0L)) {
                    write(test, events);
                    written.testSteps.put(tag, test.epoch().step());
                }
            }
        }
    }

    private static void write(ExportedJob.Test test, EventFile events) throws IOException {
        Epoch epoch = test.epoch();
        Double accuracy = epoch.testAccuracy();
        Double error = epoch.testMeanAbsoluteError();
        if (accuracy != null) {
            addTest(events, test, TensorBoardExporter.TEST_ACCURACY, accuracy);
        } else if (error != null) {
            addTest(events, test, TensorBoardExporter.TEST_MEAN_ABSOLUTE_ERROR, error);
        } else {
            String tag = test.tag(TensorBoardExporter.TEST_LOSS);
            events.scalar(tag, epoch.step(), test.millis() / 1e3, (float) epoch.testLoss());
        }
    }

    private static void addTest(EventFile events, ExportedJob.Test test, String tag, double value) throws IOException {
        events.scalars(
                test.epoch().step(),
                test.millis() / 1e3,
                test.tag(TensorBoardExporter.TEST_LOSS),
                (float) test.epoch().testLoss(),
                test.tag(tag),
                (float) value);
    }

    /// Finds the job's file and its last step, and truncates an incomplete record.
    private Written find(ExportedJob job) throws IOException {
        Path run = folder.resolve(FileName.of(job.id()));
        Files.createDirectories(run);
        List<Path> there;
        try (Stream<Path> files = Files.list(run)) {
            there = files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        }
        if (there.isEmpty()) {
            String name = String.format(ROOT, "events.out.tfevents.%010d%s", job.startMillis() / 1000, SUFFIX);
            return new Written(run.resolve(name));
        }
        Written written = new Written(there.getFirst());
        long whole = EventFileReader.read(written.file, scalar -> {
            switch (scalar.tag()) {
                case TensorBoardExporter.TRAIN_LOSS -> written.lossStep = Math.max(written.lossStep, scalar.step());
                case TensorBoardExporter.TEST_LOSS, TensorBoardExporter.VALIDATION_LOSS ->
                    written.testSteps.merge(scalar.tag(), scalar.step(), Math::max);
                default -> written.metricSteps.merge(scalar.tag(), scalar.step(), Math::max);
            }
        });
        written.begun = whole > 0;
        try (FileChannel file = FileChannel.open(written.file, StandardOpenOption.WRITE)) {
            file.truncate(whole);
        }
        return written;
    }
}
