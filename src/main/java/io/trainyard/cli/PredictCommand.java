package io.trainyard.cli;

import io.trainyard.data.DatasetInfo;
import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import io.trainyard.training.PredictionText;
import io.trainyard.training.Predictions;
import io.trainyard.training.Predictor;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "predict",
        description = {
            "Writes a checkpoint's predictions for a test set or new data as CSV.",
            "Columns: index or file, label if known, predicted class, probability of each class."
        },
        footer = {
            "  ./trainyard predict tudui-1 --data ~/data > predictions.csv",
            "  ./trainyard predict state_dict.safetensors --network lenet --dataset shapes32"
        })
public final class PredictCommand extends PlainCommand {
    private static final int MAX_BATCH = 65_536;

    @Parameters(
            paramLabel = "CHECKPOINT",
            description = "Model file (*.safetensors), JOB (its newest checkpoint), JOB/best or JOB/STEP.")
    private String checkpoint = "";

    @Option(
            names = "--dataset",
            paramLabel = "D",
            description =
                    "Dataset, normalized as in training; or {\"name\": ..., \"normalize\": ...} (default: the job's).")
    private @Nullable String dataset;

    @Option(
            names = "--network",
            paramLabel = "N",
            description = "Built-in network or file (JSON, YAML), for a model file without a job.")
    private @Nullable String network;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Predict the images in this folder, read as the dataset's, instead of the test set.")
    private @Nullable Path images;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "Predict the rows of this table, which has the dataset's columns; targets may be missing.")
    private @Nullable Path csv;

    @Option(names = "--output", paramLabel = "FILE", description = "Output file (default: standard output).")
    private @Nullable Path output;

    @Option(names = "--json", description = "Write a JSON object per sample instead of CSV.")
    private boolean json;

    private @Nullable Integer batchSize;
    private int limit = Integer.MAX_VALUE;
    private int skipped;

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    @Option(names = "--batch", paramLabel = "N", description = "Samples per batch (default: the job's, or 64).")
    void setBatch(int number) {
        batchSize = atLeast1("--batch", number, MAX_BATCH);
    }

    @Option(names = "--limit", paramLabel = "N", description = "Only the first N samples (default: all).")
    void setLimit(int number) {
        limit = atLeast1("--limit", number, Integer.MAX_VALUE);
    }

    private int atLeast1(String option, int number, int max) {
        if (number < 1 || number > max) {
            throw wrong("%s is %d; allowed is 1 to %d".formatted(option, number, max));
        }
        return number;
    }

    @Override
    public Integer call() {
        if (images != null && csv != null) {
            throw wrong("--images and --csv are given; leave out one of the two");
        }
        ModelSource source = ModelSource.find(checkpoint, options.checkpoints());
        if (source.run() != null) {
            terminal.err().printf("%s is %s, its newest finished run%n", checkpoint, source.run());
        }
        JobSpec asked = source.ask(network, dataset, terminal.in());
        requireWritable();
        Device device = Devices.open(options.device());
        int atATime = batchSize != null
                ? batchSize
                : source.spec().map(JobSpec::batchSize).orElse(asked.batchSize());
        Predictor.Request request = new Predictor.Request(
                asked.network(),
                asked.dataset(),
                source.checkpoint(),
                source.model(),
                source.targets(),
                atATime,
                limit,
                options.threads());
        String quality = write(new Predictor(request, options.data(), device));
        Object samples =
                images != null ? images : csv != null ? csv : asked.dataset().name();
        terminal.err()
                .printf(
                        "%s on %s, device %s: %s%n",
                        source.checkpoint(),
                        Printable.text(samples.toString(), 200),
                        device.info().name(),
                        quality);
        return ExitCodes.OK;
    }

    /// Fails before the computation starts.
    private void requireWritable() {
        Path file = output;
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
            throw wrong("--output is %s, %s; name a file in an existing folder"
                    .formatted(file, Files.isDirectory(file) ? "a folder" : "whose folder is not there"));
        }
    }

    /// @return the accuracy or error, in words
    private String write(Predictor predictor) {
        Path file = output;
        try {
            if (file == null) {
                Writer out = new BufferedWriter(new OutputStreamWriter(terminal.out(), StandardCharsets.UTF_8));
                String quality = write(predictor, out);
                out.flush();
                return quality;
            }
            try (Writer out = Files.newBufferedWriter(file)) {
                return write(predictor, out);
            }
        } catch (IOException | UncheckedIOException e) {
            throw wrong("the predictions cannot be written to %s: %s".formatted(file, e), e);
        }
    }

    private String write(Predictor predictor, Writer out) {
        Output written = new Output(out);
        if (images != null) {
            predictor.ofImages(images, written::add, sentence -> {
                skipped++;
                terminal.err().println("left out: " + Printable.text(sentence, 1000));
            });
        } else if (csv != null) {
            predictor.ofRows(csv, written::add);
        } else {
            written.add(predictor.ofTests());
        }
        return written.quality() + (skipped == 0 ? "" : "; left out: %d".formatted(skipped));
    }

    /// Writes predictions as they come, and counts.
    private final class Output {
        private final Writer out;
        private String title = "";
        private @Nullable DatasetInfo dataset;
        private long samples;
        private long known;
        private double sum;

        Output(Writer out) {
            this.out = out;
        }

        void add(Predictions predictions) {
            PredictionText text = PredictionText.of(predictions);
            title = predictions.title();
            try {
                if (dataset == null && !json) {
                    out.write(PredictionText.csvTitles(title, predictions.dataset()) + "\n");
                }
                for (int i = 0; i < predictions.size(); i++) {
                    out.write((json ? text.json(title, i) : text.csv(i)) + "\n");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            dataset = predictions.dataset();
            samples += predictions.size();
            known += text.known();
            sum += text.sum();
        }

        String quality() {
            return dataset == null ? "no predictions" : PredictionText.quality(dataset, samples, known, sum);
        }
    }
}
