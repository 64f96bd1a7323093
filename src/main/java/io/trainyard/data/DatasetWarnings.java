package io.trainyard.data;

import io.trainyard.spec.DatasetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Findings that a user should look at before training on a dataset.
final class DatasetWarnings {
    /// The ratio of the largest class to the smallest from which imbalance is reported.
    private static final int IMBALANCE = 10;

    /// Values so far from 0 are hard to learn from.
    private static final double FAR = 10;

    /// Limit of `normalize` for means and deviations.
    static final double TOO_FAR = 1e6;

    private static final int MAX_LISTED = 5;

    private DatasetWarnings() {}

    /// Findings about files that are not read as samples, and about names that jobs cannot use.
    static void ofFiles(UserFolder own, List<String> odd) {
        String name = own.folder().path().getFileName().toString();
        if (!DatasetSpec.isName(name)) {
            odd.add("no job can name the folder %s: names have small letters, digits and hyphens, 64 at most; rename it"
                    .formatted(DataFiles.printable(name)));
        } else if (Datasets.find(name).isPresent()) {
            odd.add("%s is the name of a built-in dataset, which jobs get instead, regardless of %s"
                    .formatted(name, DatasetManifest.FILE));
        }
        switch (own.manifest()) {
            case CsvManifest csv -> ofTables(csv, own.folder(), odd);
            case ArraysManifest arrays -> ofArrays(arrays, own.folder(), odd);
            case CifarManifest _, IdxManifest _, ImageFolderManifest _, PackedManifest _ -> {}
        }
    }

    private static void ofTables(CsvManifest csv, DataFolder folder, List<String> odd) {
        CsvFeatures features = csv.features(folder);
        List<String> used = new ArrayList<>(features.columns());
        used.removeAll(features.oneHot().keySet());
        for (CsvTable table : csv.tables(folder)) {
            CsvProfile.of(table).columns().stream()
                    .filter(column -> used.contains(column.name()) && !column.isNumbers())
                    .forEach(column -> odd.add("%s: %s".formatted(table.file().getFileName(), column.complaint())));
        }
    }

    private static void ofArrays(ArraysManifest arrays, DataFolder folder, List<String> odd) {
        try (ArrayFiles files = arrays.files(folder)) {
            for (String name : List.of("x_train", "x_validation", "x_test", "y_train", "y_validation", "y_test")) {
                if (files.has(name)) {
                    ofArray(files.read(name), odd);
                }
            }
        }
    }

    private static void ofArray(NumberArray array, List<String> odd) {
        if (array.type().whole()) {
            return;
        }
        long wrong = 0;
        long first = 0;
        long all = array.elements();
        for (long i = 0; i < all; i++) {
            if (!Float.isFinite((float) array.get(i))) {
                first = wrong++ == 0 ? i : first;
            }
        }
        if (wrong > 0) {
            odd.add("%s has %d numbers that are NaN or infinite as float32, %s of %s first"
                    .formatted(array, wrong, array.place(first), array.get(first)));
        }
    }

    static void ofSamples(Inspector.Statistics found, List<String> odd) {
        ofClasses(found, odd);
        ofChannels(found, odd);
        Inspection.Equal equal = found.equal();
        if (equal == null) {
            odd.add("duplicates were not looked for: there are more than %d samples"
                    .formatted(DuplicateSamples.MOST_SAMPLES));
        } else {
            ofEqual(equal, odd);
        }
    }

    private static void ofClasses(Inspector.Statistics found, List<String> odd) {
        int[] trained = found.trained();
        if (trained.length == 0) {
            return;
        }
        if (trained.length == 1) {
            odd.add("there is only one class, so there is nothing to learn");
        }
        classes(found, label -> trained[label] == 0 && found.tested()[label] == 0, "have no sample", odd);
        classes(
                found,
                label -> trained[label] == 0 && found.tested()[label] > 0,
                "are tested, but have no sample to train on",
                odd);
        classes(found, label -> trained[label] > 0 && found.tested()[label] == 0, "have no sample to test on", odd);
        int least = IntStream.of(trained).filter(count -> count > 0).min().orElse(0);
        int most = IntStream.of(trained).max().orElse(0);
        if (most >= IMBALANCE * least) {
            odd.add(
                    "the largest class has %d samples to train on, the smallest %d: a job can have \"sampler\": \"balanced\", or \"classWeights\" in its \"loss\""
                            .formatted(most, least));
        }
    }

    private static void classes(Inspector.Statistics found, IntPredicate which, String what, List<String> odd) {
        List<String> names = IntStream.range(0, found.classNames().size())
                .filter(which)
                .mapToObj(label -> DataFiles.printable(found.classNames().get(label)))
                .toList();
        if (!names.isEmpty()) {
            odd.add("%d classes %s: %s".formatted(names.size(), what, some(names)));
        }
    }

    private static void ofChannels(Inspector.Statistics found, List<String> odd) {
        ChannelStatistics channels = found.channels();
        if (channels == null) {
            odd.add("there are more than %d channels: there are no statistics of each"
                    .formatted(ChannelStatistics.MOST_CHANNELS));
            return;
        }
        List<String> constant = IntStream.range(0, channels.channels())
                .filter(c -> channels.least(c) == channels.most(c))
                .mapToObj(Integer::toString)
                .toList();
        if (!constant.isEmpty()) {
            odd.add("%d of %d channels have one value in all samples to train on, counted from 0: %s"
                    .formatted(constant.size(), channels.channels(), some(constant)));
        }
        double farthest = IntStream.range(0, channels.channels())
                .mapToDouble(c -> Math.max(Math.abs(channels.mean(c)), channels.std(c)))
                .max()
                .orElse(0);
        if (farthest >= TOO_FAR) {
            odd.add(
                    "some values are too far from 0 for \"normalize\", whose means and deviations are below 1,000,000: store them in another unit");
        } else if (farthest > FAR) {
            odd.add("some values are far from 0: networks learn little from them without \"normalize\"");
        }
    }

    private static void ofEqual(Inspection.Equal equal, List<String> odd) {
        if (equal.testedAsTrained() > 0) {
            odd.add("%d test samples are also training samples: tests will look better than the network is"
                    .formatted(equal.testedAsTrained()));
        }
        if (equal.train() + equal.test() > 0) {
            odd.add("%d training samples and %d test samples repeat an earlier one of their part"
                    .formatted(equal.train(), equal.test()));
        }
        if (equal.withOtherLabels() > 0) {
            odd.add("%d of these have another label than the first of the equal ones"
                    .formatted(equal.withOtherLabels()));
        }
        equal.first().forEach(odd::add);
    }

    private static String some(List<String> names) {
        return names.stream().limit(MAX_LISTED).collect(Collectors.joining(", "))
                + (names.size() > MAX_LISTED ? " and %d more".formatted(names.size() - MAX_LISTED) : "");
    }
}
