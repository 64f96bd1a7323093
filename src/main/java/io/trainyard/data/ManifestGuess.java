package io.trainyard.data;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.SimilarNames;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A proposed description of a folder without `dataset.json`, from file names and first bytes.
///
/// @param description without the fields that need the samples
/// @param reasons for the proposal, in sentences
record ManifestGuess(ObjectNode description, List<String> reasons) {
    private static final int MOST_FILES = 1_000;

    private static final int CIFAR_PIXELS = 3 * 32 * 32;

    /// A column with one of these names is taken for the label, or else the last one whose name ends in one of these
    /// words, such as `median_house_value`.
    private static final List<String> LABELS = List.of(
            "label", "labels", "class", "target", "y", "species", "category", "outcome", "diagnosis", "survived");

    private static final Set<String> LABEL_WORDS = Set.of(
            "label",
            "class",
            "target",
            "species",
            "category",
            "outcome",
            "diagnosis",
            "disease",
            "churn",
            "default",
            "quality",
            "rating",
            "score",
            "price",
            "value",
            "cost",
            "charges",
            "income",
            "salary");

    /// Empty if the content is not recognized.
    ///
    /// @param label the column of a table with the targets; null: it is guessed
    static Optional<ManifestGuess> of(DataFolder folder, @Nullable String label) {
        List<String> files = files(folder);
        if (label != null) {
            return Optional.of(csv(folder, files, label)
                    .orElseThrow(() -> new DatasetException(
                            "%s has no .csv, so there is no column %s to be the label; leave out --label"
                                    .formatted(folder.path(), DataFiles.printable(label)))));
        }
        return Stream.<Optional<ManifestGuess>>of(
                        packed(files),
                        idx(folder, files),
                        cifar(folder, files),
                        arrays(folder, files),
                        csv(folder, files, null))
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> images(folder));
    }

    private static List<String> files(DataFolder folder) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder.path(), Files::isRegularFile)) {
            for (Path entry : entries) {
                if (names.size() == MOST_FILES) {
                    break;
                }
                names.add(entry.getFileName().toString());
            }
        } catch (IOException e) {
            throw DataFiles.unreadable(folder.path(), e);
        }
        names.sort(ImageFolder.BY_CODE_POINT);
        return names;
    }

    private static ManifestGuess of(String kind, String reason) {
        return new ManifestGuess(ManifestJson.ofKind(kind), new ArrayList<>(List.of(reason)));
    }

    private static Optional<ManifestGuess> packed(List<String> files) {
        return files.contains(PackedManifest.USUAL)
                ? Optional.of(of("packed", "there is %s".formatted(PackedManifest.USUAL)))
                : Optional.empty();
    }

    private static Optional<ManifestGuess> images(DataFolder folder) {
        if (!ImageFolder.hasFolders(folder)) {
            return Optional.empty();
        }
        boolean parts = ImageParts.hasTests(folder);
        return Optional.of(of(
                "imageFolder",
                parts ? "there are class folders in train/" : "there are folders, one for each class of images"));
    }

    /// Images have two or more dimensions, labels one.
    private static Optional<ManifestGuess> idx(DataFolder folder, List<String> files) {
        List<String> images = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        for (String file : files) {
            int dimensions = IdxReader.dimensions(folder.file(List.of(file)));
            if (dimensions > 0) {
                (dimensions == 1 ? labels : images).add(file);
            }
        }
        if (images.isEmpty() || labels.isEmpty()) {
            return Optional.empty();
        }
        ManifestGuess guess = of("idx", "there are IDX files");
        IdxReader.Names usual = IdxReader.Names.USUAL;
        guess.name("trainImages", images, usual.trainImages(), false);
        guess.name("trainLabels", labels, usual.trainLabels(), false);
        guess.name("testImages", images, usual.testImages(), true);
        guess.name("testLabels", labels, usual.testLabels(), true);
        return Optional.of(guess);
    }

    private void name(String field, List<String> files, List<String> usual, boolean ofTests) {
        if (usual.stream().anyMatch(files::contains)) {
            return;
        }
        files.stream().filter(file -> isOfTests(file) == ofTests).findFirst().ifPresent(file -> {
            description.put(field, file);
            reasons.add("%s is taken for %s".formatted(file, field));
        });
    }

    private static boolean isOfTests(String file) {
        String name = file.toLowerCase(Locale.ROOT);
        return Stream.of("test", "t10k", "val").anyMatch(name::contains);
    }

    private static Optional<ManifestGuess> cifar(DataFolder folder, List<String> files) {
        if (files.containsAll(CifarReader.CIFAR10_TRAIN)) {
            return Optional.of(of("cifar", "there are data_batch_1.bin and so on"));
        }
        if (!files.contains("train.bin")) {
            return Optional.empty();
        }
        long bytes = size(folder.file(List.of("train.bin")));
        if (bytes % (2 + CIFAR_PIXELS) == 0) {
            ManifestGuess guess = of(
                    "cifar",
                    "train.bin has a multiple of 3,074 bytes: two labels and an image of 3x32x32, as in CIFAR-100, of which the second label counts");
            guess.description.put("labels", "fine");
            return Optional.of(guess);
        }
        if (bytes % (1 + CIFAR_PIXELS) == 0) {
            ManifestGuess guess =
                    of("cifar", "train.bin has a multiple of 3,073 bytes: a label and an image of 3x32x32");
            guess.description.putArray("train").add("train.bin");
            if (files.contains("test.bin")) {
                guess.description.putArray("test").add("test.bin");
            }
            return Optional.of(guess);
        }
        return Optional.empty();
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    private static Optional<ManifestGuess> arrays(DataFolder folder, List<String> files) {
        @Nullable ManifestGuess guess = null;
        if (files.contains("x_train.npy")) {
            guess = of("arrays", "there is x_train.npy");
        }
        for (String file : files) {
            boolean isOne = file.endsWith(".npz") || file.endsWith(".safetensors");
            if (guess == null && isOne && hasSamples(folder.file(List.of(file)))) {
                guess = of("arrays", "there is x_train in %s".formatted(file));
                guess.description.put("file", file);
            }
        }
        if (guess != null) {
            guess.addLayout(folder);
        }
        return Optional.ofNullable(guess);
    }

    private static boolean hasSamples(Path file) {
        try (ArrayFiles arrays = ArrayFiles.of(file)) {
            return arrays.has("x_train") && arrays.has("y_train");
        } catch (DatasetException e) { // an unrelated file with such a name
            return false;
        }
    }

    /// Assumes that an image has at most four channels.
    private void addLayout(DataFolder folder) {
        List<Long> shape;
        try (ArrayFiles arrays = description.has("file")
                ? ArrayFiles.of(folder.file(List.of(description.get("file").asText())))
                : new ArrayFiles.Npy(folder)) {
            shape = arrays.shape("x_train");
        }
        if (shape.size() == 4) {
            boolean last = shape.get(3) <= 4 && shape.get(1) > 4;
            description.put("layout", last ? "NHWC" : "NCHW");
            reasons.add("x_train is of %s, which is taken for (N, %s)".formatted(shape, last ? "H, W, C" : "C, H, W"));
        }
    }

    private static Optional<ManifestGuess> csv(DataFolder folder, List<String> files, @Nullable String label) {
        List<String> tables =
                files.stream().filter(file -> file.endsWith(".csv")).toList();
        if (tables.isEmpty()) {
            return Optional.empty();
        }
        String train = tables.contains(CsvManifest.USUAL_TRAIN) ? CsvManifest.USUAL_TRAIN : tables.getFirst();
        ManifestGuess guess = of("csv", "there is %s".formatted(train));
        if (!train.equals(CsvManifest.USUAL_TRAIN)) {
            guess.description.put("train", train);
        }
        guess.addColumns(folder.file(List.of(train)), label);
        return Optional.of(guess);
    }

    private void addColumns(Path file, @Nullable String named) {
        char separator = separator(file);
        if (separator != ',') {
            description.put("separator", String.valueOf(separator));
        }
        boolean header = hasHeader(file, separator);
        if (!header) {
            description.put("header", false);
            reasons.add("its first line has numbers only, so that its columns are called 0, 1 and so on");
        }
        List<CsvProfile.Column> columns =
                CsvProfile.of(new CsvTable(file, separator, header)).columns();
        CsvProfile.Column label = named == null ? label(columns) : named(file, columns, named);
        addLabel(label);
        List<CsvProfile.Column> others =
                columns.stream().filter(column -> column != label).toList();
        List<CsvProfile.Column> used = others.stream()
                .filter(column -> column.isNumbers() || column.isCategories())
                .toList();
        if (used.size() < others.size()) {
            var columnNames = description.putArray("columns");
            used.forEach(column -> columnNames.add(column.name()));
            others.stream()
                    .filter(column -> !used.contains(column))
                    .forEach(column -> reasons.add("%s and is left out of \"columns\"".formatted(column.complaint())));
        }
        used.stream().filter(column -> !column.isNumbers()).forEach(this::addCategories);
    }

    private void addCategories(CsvProfile.Column column) {
        List<String> texts = Objects.requireNonNull(column.texts(), "it has few");
        texts.forEach(description.withObject("/oneHot").putArray(column.name())::add);
        reasons.add(
                "the column %s has %d categories, which become a number each; leave it out of \"columns\" and \"oneHot\" if they mean nothing"
                        .formatted(DataFiles.printable(column.name()), texts.size()));
    }

    private static CsvProfile.Column named(Path file, List<CsvProfile.Column> columns, String name) {
        List<String> names = columns.stream().map(CsvProfile.Column::name).toList();
        int place = names.indexOf(name);
        if (place < 0) {
            throw new DatasetException("%s has no column %s; allowed is one of %s%s"
                    .formatted(
                            file,
                            DataFiles.printable(name),
                            names.stream().limit(20).map(DataFiles::printable).collect(Collectors.joining(", ")),
                            SimilarNames.hint(name, names)));
        }
        return columns.get(place);
    }

    /// The column with a label's name; otherwise the last one whose name ends in a label's word; otherwise the only
    /// column of repeated names; otherwise the last one.
    private static CsvProfile.Column label(List<CsvProfile.Column> columns) {
        Optional<CsvProfile.Column> called = columns.stream()
                .filter(column -> LABELS.contains(column.name().toLowerCase(Locale.ROOT)))
                .findFirst()
                .or(() -> columns.reversed().stream()
                        .filter(column -> endsInLabel(column.name()))
                        .findFirst());
        List<CsvProfile.Column> names =
                columns.stream().filter(CsvProfile.Column::isNames).toList();
        return called.orElse(names.size() == 1 ? names.getFirst() : columns.getLast());
    }

    /// Whether the last word of a name, also of one such as `SalePrice`, is a label's.
    private static boolean endsInLabel(String name) {
        String[] words = name.split("[^\\p{L}\\p{N}]+|(?<=\\p{Ll})(?=\\p{Lu})");
        return words.length > 0 && LABEL_WORDS.contains(words[words.length - 1].toLowerCase(Locale.ROOT));
    }

    private void addLabel(CsvProfile.Column label) {
        List<String> texts = label.texts();
        if (label.isLabels() && texts != null) {
            description.put("label", label.name()).put("classes", (int) label.most() + 1);
            reasons.add(
                    "the column %s has whole numbers from 0 on, which are taken for classes; if they are to be predicted as numbers, write \"targets\": [\"%s\"] instead"
                            .formatted(label.name(), label.name()));
        } else if (label.isNumbers()) {
            description.putArray("targets").add(label.name());
            reasons.add("the column %s has numbers, which are to be predicted".formatted(label.name()));
        } else if (texts != null) {
            description.put("label", label.name());
            texts.forEach(description.putArray("classNames")::add);
            reasons.add("the column %s has the names of classes".formatted(label.name()));
        } else {
            reasons.add("%s, and too many different ones to be classes; write which column is the label"
                    .formatted(label.complaint()));
        }
    }

    private static char separator(Path file) {
        char best = ',';
        int most = 0;
        for (char separator : new char[] {',', ';', '\t', '|'}) {
            int columns = new CsvTable(file, separator, false).columns().size();
            if (columns > most) {
                most = columns;
                best = separator;
            }
        }
        return best;
    }

    /// A first row with a text is a header.
    private static boolean hasHeader(Path file, char separator) {
        return new CsvTable(file, separator, false).firstRow().stream().anyMatch(value -> !CsvRows.isNumber(value));
    }
}
