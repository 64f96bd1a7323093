package io.trainyard.training;

import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Samples;
import io.trainyard.data.Targets;
import io.trainyard.data.image.PngWriter;
import io.trainyard.device.LearningSession;
import io.trainyard.spec.Shape;
import io.trainyard.spec.TargetScale;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Stores the predictions of the test set and the worst mistakes when a job ends, for the dashboard. The job does not
/// depend on them: an error is only logged.
final class TestResults {
    /// A CSV file, as `predict` writes it.
    static final String PREDICTIONS = "predictions.csv";

    /// A list of JSON objects; the image of the first is in `mistake-0.png`.
    static final String MISTAKES = "mistakes.json";

    static final int MAX_MISTAKES = 24;

    private static final System.Logger LOG = System.getLogger(TestResults.class.getName());

    /// More probabilities would take more than 64 MiB.
    private static final long MAX_VALUES = 1 << 24;

    private static final int MAX_BYTES = 8 << 20;
    private static final int MAX_SIDE = 128;

    private final Attempt attempt;
    private final DatasetInfo info;
    private final Dataset dataset;
    private final @Nullable TargetScale scale;
    private final LearningSession session;

    TestResults(Attempt attempt, Workloads.Prepared prepared, LearningSession session) {
        this.attempt = attempt;
        this.info = prepared.dataset();
        this.dataset = prepared.samples();
        this.scale = prepared.targets();
        this.session = session;
    }

    void keep() {
        Dataset.Split test = dataset.test();
        if ((long) test.size() * info.outputs() > MAX_VALUES) {
            return;
        }
        attempt.alive(HangLimit.UNKNOWN);
        try {
            float[] values = TargetScale.original(scale, session.predict());
            Predictions all = new Predictions(info, test.files(), test.targets(), values);
            attempt.folder().keepResult(PREDICTIONS, csv(all).getBytes(StandardCharsets.UTF_8));
            if (test.targets() instanceof Targets.ClassLabels(int[] labels)) {
                keepMistakes(all, labels, test.samples());
            }
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "job=%s attempt=%d keeps no predictions"
                            .formatted(attempt.job().id(), attempt.number()),
                    e);
        }
    }

    /// The first rows, if all are too long.
    private static String csv(Predictions all) {
        PredictionText text = PredictionText.of(all);
        StringBuilder lines = new StringBuilder(PredictionText.csvTitles(all.title(), all.dataset()) + "\n");
        for (int i = 0; i < all.size() && lines.length() < MAX_BYTES; i++) {
            lines.append(text.csv(i)).append('\n');
        }
        return lines.toString();
    }

    /// The wrong predictions with the largest losses: the smallest probabilities of the true class.
    private void keepMistakes(Predictions all, int[] labels, Samples samples) {
        List<Integer> worst = IntStream.range(0, labels.length)
                .filter(i -> all.predicted(i) != labels[i])
                .boxed()
                .sorted(Comparator.comparingDouble(i -> all.value(i, labels[i])))
                .limit(MAX_MISTAKES)
                .toList();
        List<String> lines = new ArrayList<>();
        PredictionText text = PredictionText.of(all);
        for (int i : worst) {
            image(samples, i, dataset.shape(), "mistake-%d.png".formatted(lines.size()));
            lines.add(text.mistake(i));
        }
        String json = "[" + String.join(",\n", lines) + "]\n";
        attempt.folder().keepResult(MISTAKES, json.getBytes(StandardCharsets.UTF_8));
    }

    /// Grey or coloured, as the network saw it before the scaling; reduced by leaving out rows and columns.
    private void image(Samples samples, int index, Shape shape, String name) {
        boolean isImage = shape.rank() == 3 && (shape.size(0) == 1 || shape.size(0) == 3);
        if (isImage && samples instanceof Samples.Pixels pixels) {
            byte[] planes = new byte[shape.elements()];
            pixels.read((long) index * planes.length, planes);
            int every = Math.ceilDiv(Math.max(shape.size(1), shape.size(2)), MAX_SIDE);
            attempt.folder()
                    .keepResult(name, PngWriter.write(planes, shape.size(0), shape.size(1), shape.size(2), every));
        }
    }
}
