package io.trainyard.data;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.Dataset.Split;
import io.trainyard.data.Inspection.Channel;
import io.trainyard.data.Inspection.ClassCount;
import io.trainyard.data.Inspection.Equal;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.SplitSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Inspects all samples of a folder. Few samples are in memory at a time: decoded images, or cached pages of
/// mapped files.
final class Inspector {
    private final UserFolder own;
    private final DatasetSpec how;
    private final List<String> odd = new ArrayList<>();

    /// The statistics of the samples.
    ///
    /// @param channels null if there are too many
    /// @param validation number of validation samples; null without this part
    /// @param trained training samples of each class
    /// @param validated validation samples of each class
    /// @param tested test samples of each class
    record Statistics(
            @Nullable List<Integer> shape,
            String type,
            List<String> classNames,
            int train,
            @Nullable Integer validation,
            int test,
            int[] trained,
            int[] validated,
            int[] tested,
            @Nullable ChannelStatistics channels,
            Inspection.@Nullable ImageSizes sizes,
            @Nullable Equal equal) {}

    Inspector(UserFolder own, DatasetSpec how) {
        this.own = own;
        this.how = how;
    }

    /// Adds a typical split if the folder leaves it to the job.
    private DatasetSpec withSplit(DatasetManifest manifest) {
        if (how.split() != null || manifest.split() != null || manifest.hasTests(own.folder())) {
            return how;
        }
        odd.add("there is no test part, so jobs must set \"split\"; this inspection uses {\"test\": 0.2, \"seed\": 0}");
        return new DatasetSpec(
                how.name(), how.colors(), how.resize(), how.centerCrop(), new SplitSpec(0.2, 0), null, null);
    }

    Inspection inspect() {
        try {
            DatasetWarnings.ofFiles(own, odd);
            DatasetManifest manifest = own.manifest();
            DatasetSpec spec = withSplit(manifest);
            Statistics found = manifest instanceof ImageFolderManifest images
                    ? new ImageInspector(own.folder(), images, spec, odd).statistics()
                    : look(spec);
            DatasetWarnings.ofSamples(found, odd);
            return inspection(found, channels(found));
        } catch (DatasetException | InvalidJobException e) {
            return new Inspection(
                    own.folder().path().toString(),
                    own.described(),
                    own.description(),
                    own.reasons(),
                    e.getMessage(),
                    null,
                    null,
                    0,
                    null,
                    0,
                    List.of(),
                    List.of(),
                    null,
                    null,
                    odd);
        }
    }

    private Inspection inspection(Statistics found, List<Channel> channels) {
        List<ClassCount> classes = IntStream.range(0, found.classNames().size())
                .mapToObj(label -> new ClassCount(
                        found.classNames().get(label),
                        found.trained()[label],
                        found.validation() == null ? null : found.validated()[label],
                        found.tested()[label]))
                .toList();
        if (!own.described()) {
            addNormalize(own.description(), channels);
        }
        return new Inspection(
                own.folder().path().toString(),
                own.described(),
                own.description(),
                own.reasons(),
                null,
                found.shape(),
                found.type(),
                found.train(),
                found.validation(),
                found.test(),
                classes,
                channels,
                found.sizes(),
                found.equal(),
                odd);
    }

    /// Proposes normalization. Channels without spread get only the mean.
    private static void addNormalize(ObjectNode description, List<Channel> channels) {
        boolean allowed = channels.stream()
                .allMatch(channel ->
                        Math.abs(channel.mean()) < DatasetWarnings.TOO_FAR && channel.std() < DatasetWarnings.TOO_FAR);
        if (channels.isEmpty() || !allowed || description.path("kind").asText().equals("packed")) {
            return;
        }
        ObjectNode normalize = description.putObject("normalize");
        var mean = normalize.putArray("mean");
        var std = normalize.putArray("std");
        for (Channel channel : channels) {
            mean.add(rounded(channel.mean()));
            std.add(channel.std() < 1e-6 ? 1 : rounded(channel.std()));
        }
    }

    private static double rounded(double value) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.6g", value));
    }

    private Statistics look(DatasetSpec spec) {
        DatasetInfo info = own.info(spec);
        Dataset dataset = own.read(spec, SampleMemory.inFiles(own.folder().path()));
        Split validation = dataset.validation();
        int train = dataset.train().size();
        int all = train + dataset.test().size();
        @Nullable
        DuplicateSamples equal = all <= DuplicateSamples.MOST_SAMPLES ? new DuplicateSamples(train, all) : null;
        @Nullable ChannelStatistics channels = look(dataset, equal);
        return new Statistics(
                info.shape().sizes(),
                dataset.train().samples() instanceof Samples.Pixels ? "uint8" : "float32",
                info.classNames(),
                train,
                validation == null ? null : validation.size(),
                dataset.test().size(),
                counts(dataset.train(), info.classNames().size()),
                validation == null
                        ? new int[0]
                        : counts(validation, info.classNames().size()),
                counts(dataset.test(), info.classNames().size()),
                channels,
                null,
                equal == null ? null : equal.find(labels(dataset, info), number -> name(number, train)));
    }

    private static @Nullable ChannelStatistics look(Dataset dataset, @Nullable DuplicateSamples equal) {
        int train = dataset.train().size();
        ProgressLog log = new ProgressLog("looked at", "samples of " + dataset.name());
        boolean measurable = ChannelStatistics.supports(dataset.shape());
        if (!measurable) {
            IntStream.range(0, train).forEach(n -> put(equal, n, dataset.train(), n, dataset));
        }
        @Nullable
        ChannelStatistics channels = measurable
                ? ChannelStatistics.of(dataset.train().samples(), dataset.shape(), n -> {
                    put(equal, (int) n, dataset.train(), (int) n, dataset);
                    log.at(n, train);
                })
                : null;
        IntStream.range(0, dataset.test().size()).forEach(n -> put(equal, train + n, dataset.test(), n, dataset));
        return channels;
    }

    private static void put(@Nullable DuplicateSamples equal, int number, Split split, int index, Dataset dataset) {
        if (equal != null) {
            long bytes = dataset.sampleBytes();
            equal.put(number, split.samples().memory().asSlice(index * bytes, bytes));
        }
    }

    private static String name(int number, int train) {
        return number < train ? "x_train[%d]".formatted(number) : "x_test[%d]".formatted(number - train);
    }

    private static int[] labels(Dataset dataset, DatasetInfo info) {
        return info.classNames().isEmpty()
                ? new int[0]
                : IntStream.concat(
                                IntStream.of(dataset.train().labels()),
                                IntStream.of(dataset.test().labels()))
                        .toArray();
    }

    private static int[] counts(Split split, int classes) {
        int[] counts = new int[classes];
        if (classes > 0) {
            for (int label : split.labels()) {
                counts[label]++;
            }
        }
        return counts;
    }

    private List<Channel> channels(Statistics found) {
        ChannelStatistics statistics = found.channels();
        if (statistics == null) {
            return List.of();
        }
        List<String> names = names(found, statistics.channels());
        return IntStream.range(0, statistics.channels())
                .mapToObj(c -> new Channel(
                        names.get(c), statistics.mean(c), statistics.std(c), statistics.least(c), statistics.most(c)))
                .toList();
    }

    private List<String> names(Statistics found, int channels) {
        if (own.manifest() instanceof CsvManifest csv) {
            return csv.features(own.folder()).names();
        }
        boolean colours =
                channels == 3 && (found.shape() == null || found.shape().size() == 3);
        return colours
                ? List.of("red", "green", "blue")
                : IntStream.range(0, channels).mapToObj(Integer::toString).toList();
    }
}
