package io.trainyard.export;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Takes runs of TensorBoard into a tracking store: a folder with event files is a run, which becomes a job
/// that has finished. A job that is there already stays as it is, so a second import changes nothing.
public final class TensorBoardImport {
    /// Of one run; they are in memory together.
    private static final int MAX_SCALARS = 5_000_000;

    private static final int MAX_DEPTH = 20;
    private static final int MAX_LOSSES = 1000;
    private static final String DEVICE = "tensorboard";

    /// What curves are mostly called.
    private static final Map<String, Metric> USUAL = usual();

    private final TrackingStore store;
    private final Map<String, Metric> metrics;

    public enum Metric {
        TRAIN_LOSS,
        TEST_LOSS,
        TEST_ACCURACY,
        TEST_MEAN_ABSOLUTE_ERROR
    }

    /// The result of importing a run.
    ///
    /// @param isNew false if a job with this name exists, or if no tag is known
    /// @param unknown unknown tags
    /// @param alone accuracies and errors of tests without a loss
    public record Imported(String job, boolean isNew, long losses, int tests, int alone, SortedSet<String> unknown) {}

    /// @param tags the meaning of additional tags
    public TensorBoardImport(TrackingStore store, Map<String, Metric> tags) {
        this.store = store;
        metrics = new HashMap<>(USUAL);
        metrics.putAll(tags);
    }

    private static Map<String, Metric> usual() {
        Map<String, Metric> usual = new HashMap<>();
        for (String tag : List.of("train_loss", "loss/train", "Loss/train", "train/loss", "training loss", "loss")) {
            usual.put(tag, Metric.TRAIN_LOSS);
        }
        for (String tag : List.of("test_loss", "loss/test", "Loss/test", "test/loss", "val_loss", "loss/val")) {
            usual.put(tag, Metric.TEST_LOSS);
        }
        for (String tag : List.of(
                TensorBoardExporter.TEST_ACCURACY,
                "accuracy/test",
                "Accuracy/test",
                "test/accuracy",
                "val_accuracy",
                "accuracy/val",
                "accuracy")) {
            usual.put(tag, Metric.TEST_ACCURACY);
        }
        usual.put(TensorBoardExporter.TEST_MEAN_ABSOLUTE_ERROR, Metric.TEST_MEAN_ABSOLUTE_ERROR);
        return usual;
    }

    /// Imports all runs in a folder and below.
    ///
    /// @param prefix what the jobs' names begin with
    /// @throws ExportException if the folder holds no event files, or one cannot be read; runs before that
    ///     are imported
    public void run(Path folder, String prefix, Consumer<Imported> imported) {
        SortedMap<String, List<Path>> runs = runs(folder);
        if (runs.isEmpty()) {
            throw new ExportException(
                    "there are no event files of TensorBoard in %s or below it; they have tfevents in their names"
                            .formatted(folder));
        }
        runs.forEach((name, files) -> imported.accept(take(prefix + name, files)));
    }

    private static SortedMap<String, List<Path>> runs(Path folder) {
        Path root = folder.toAbsolutePath().normalize();
        SortedMap<String, List<Path>> runs = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root, MAX_DEPTH)) {
            files.filter(file -> file.getFileName().toString().contains("tfevents"))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .forEach(file -> runs.computeIfAbsent(name(root, file), _ -> new ArrayList<>())
                            .add(file));
        } catch (IOException e) {
            throw new ExportException("%s cannot be read".formatted(folder), e);
        }
        return runs;
    }

    /// A run's folder as the name of a job: folders with dots between them, letters, digits, hyphens and
    /// underscores.
    private static String name(Path root, Path file) {
        Path below = root.relativize(file).getParent();
        Path own = below == null ? Objects.requireNonNullElse(root.getFileName(), Path.of("run")) : below;
        List<String> parts = new ArrayList<>();
        own.forEach(part -> parts.add(part.toString().replaceAll("[^A-Za-z0-9_-]+", "-")));
        return String.join(".", parts);
    }

    private Imported take(String job, List<Path> files) {
        NavigableMap<Long, Scalar> losses = new TreeMap<>();
        NavigableMap<Long, Scalar> testLosses = new TreeMap<>();
        NavigableMap<Long, Scalar> accuracies = new TreeMap<>();
        NavigableMap<Long, Scalar> errors = new TreeMap<>();
        SortedSet<String> unknown = new TreeSet<>();
        int[] count = {0};
        for (Path file : files) {
            try {
                EventFileReader.read(file, scalar -> {
                    if (++count[0] > MAX_SCALARS) {
                        throw new ExportException("the run %s has more than %d scalars; that is too many to import"
                                .formatted(job, MAX_SCALARS));
                    }
                    switch (metrics.get(scalar.tag())) { // the last value of a repeated step counts
                        case TRAIN_LOSS -> losses.put(scalar.step(), scalar);
                        case TEST_LOSS -> testLosses.put(scalar.step(), scalar);
                        case TEST_ACCURACY -> accuracies.put(scalar.step(), scalar);
                        case TEST_MEAN_ABSOLUTE_ERROR -> errors.put(scalar.step(), scalar);
                        case null -> unknown.add(scalar.tag());
                    }
                });
            } catch (IOException e) {
                throw new ExportException("the run %s cannot be imported".formatted(job), e);
            }
        }
        List<Test> tests = new ArrayList<>();
        testLosses.forEach((step, loss) -> tests.add(new Test(loss, accuracies.remove(step), errors.remove(step))));
        int alone = accuracies.size() + errors.size();
        boolean isNew = (!losses.isEmpty() || !tests.isEmpty())
                && store.add(job, recordsOf(job, List.copyOf(losses.values()), tests));
        return new Imported(job, isNew, losses.size(), tests.size(), alone, unknown);
    }

    /// The test after a step.
    ///
    /// @param accuracy null for regression
    /// @param error null for classification
    private record Test(
            Scalar loss,
            @Nullable Scalar accuracy,
            @Nullable Scalar error) {
        private static @Nullable Double value(@Nullable Scalar scalar) {
            return scalar == null ? null : Double.valueOf(scalar.value());
        }

        EpochTested tested(String job, int epoch, long step) {
            double mean = loss.value();
            return new EpochTested(
                    job,
                    1,
                    epoch,
                    step,
                    mean,
                    mean,
                    value(accuracy),
                    0,
                    0,
                    new double[0],
                    new int[0][],
                    0,
                    0,
                    0,
                    null,
                    value(error),
                    null,
                    null);
        }
    }

    /// Steps of TensorBoard may begin with 0, ours begin with 1.
    private static List<JobRecord> recordsOf(String job, List<Scalar> losses, List<Test> tests) {
        long shift = losses.isEmpty() ? 0 : Math.max(0, 1 - losses.getFirst().step());
        DoubleSummaryStatistics seconds = Stream.concat(
                        losses.stream(), tests.stream().map(Test::loss))
                .mapToDouble(Scalar::seconds)
                .summaryStatistics();
        List<JobRecord> records = new ArrayList<>();
        records.add(at(seconds.getMin(), new Claimed(job, 1, DEVICE, DEVICE)));
        addLosses(job, losses, shift, seconds.getMin(), records);
        long last = losses.isEmpty() ? 0 : losses.getLast().step() + shift;
        Double best = null;
        for (int epoch = 0; epoch < tests.size(); epoch++) {
            Test test = tests.get(epoch);
            long step = test.loss().step() + shift;
            last = Math.max(last, step);
            EpochTested tested = test.tested(job, epoch, step);
            Double accuracy = tested.testAccuracy();
            best = best == null || accuracy != null && accuracy > best ? accuracy : best;
            records.add(at(test.loss().seconds(), tested));
        }
        long millis = Math.round(1e3 * (seconds.getMax() - seconds.getMin()));
        records.add(at(
                seconds.getMax(), new Finished(job, 1, last, best, 0, 0, 0, millis, "", null, null, null, null, null)));
        return records;
    }

    private static EventRecord at(double seconds, TrainingEvent event) {
        return new EventRecord(event, Math.round(1e3 * seconds), DEVICE, 0);
    }

    /// Losses of consecutive steps are combined to one event.
    private static void addLosses(String job, List<Scalar> losses, long shift, double start, List<JobRecord> records) {
        List<Scalar> together = new ArrayList<>();
        for (Scalar loss : losses) {
            if (!together.isEmpty()
                    && (together.getLast().step() + 1 != loss.step() || together.size() == MAX_LOSSES)) {
                records.add(losses(job, together, shift, start));
                together.clear();
            }
            together.add(loss);
        }
        if (!together.isEmpty()) {
            records.add(losses(job, together, shift, start));
        }
    }

    private static EventRecord losses(String job, List<Scalar> together, long shift, double start) {
        float[] values = new float[together.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = together.get(i).value();
        }
        double end = together.getLast().seconds();
        long elapsedMicros = Math.max(0, Math.round(1e6 * (end - start)));
        return at(end, new StepLosses(job, 1, 0, together.getFirst().step() + shift, values, elapsedMicros, null));
    }
}
