package io.trainyard.data;

import io.trainyard.spec.Shape;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// The built-in datasets, known to every worker. To add one, write a [DatasetSource] and a line here.
public final class Datasets {
    private static final List<String> CIFAR10 =
            List.of("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck");
    private static final List<String> FASHION = List.of(
            "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot");

    private static final Map<String, Entry> ENTRIES = registry(
            entry("cifar10", Shape.of(3, 32, 32), CIFAR10, CifarReader.cifar10()),
            entry("mnist", Shape.of(1, 28, 28), digits(10), IdxReader.mnist()),
            entry("fashion-mnist", Shape.of(1, 28, 28), FASHION, IdxReader.fashionMnist()),
            entry("signs", Shape.of(3, 64, 64), digits(6), new SignsReader()),
            entry("shapes32", Shape.of(3, 32, 32), figures(10), ShapesGenerator.shapes32()),
            entry("shapes28", Shape.of(1, 28, 28), figures(10), ShapesGenerator.shapes28()),
            entry("shapes64", Shape.of(3, 64, 64), figures(6), ShapesGenerator.shapes64()));

    private Datasets() {}

    private record Entry(DatasetInfo info, DatasetSource source) {}

    /// Possible folder names of a dataset in a data root, built in or not; empty for generated ones.
    static List<String> folders(String name) {
        return isGenerated(name) ? List.of() : name.equals("cifar10") ? CifarReader.CIFAR10_FOLDERS : List.of(name);
    }

    public static List<String> names() {
        return List.copyOf(ENTRIES.keySet());
    }

    public static Optional<DatasetInfo> find(String name) {
        return Optional.ofNullable(ENTRIES.get(name)).map(Entry::info);
    }

    public static boolean isGenerated(String name) {
        Entry entry = ENTRIES.get(name);
        return entry != null && entry.source() instanceof ShapesGenerator;
    }

    /// Reads or generates a built-in dataset; empty for other names.
    ///
    /// @param root the data root; ignored by generated datasets
    /// @throws DatasetException if its files are missing or invalid
    static Optional<Dataset> read(Path root, String name) {
        return Optional.ofNullable(ENTRIES.get(name))
                .map(entry -> entry.source().read(root, entry.info()));
    }

    private static List<String> digits(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    private static List<String> figures(int count) {
        return Arrays.stream(Figure.values())
                .limit(count)
                .map(figure -> figure.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .toList();
    }

    private static Entry entry(String name, Shape shape, List<String> classNames, DatasetSource source) {
        return new Entry(DatasetInfo.ofClasses(name, shape, classNames), source);
    }

    private static Map<String, Entry> registry(Entry... entries) {
        Map<String, Entry> byName = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byName.put(entry.info().name(), entry);
        }
        return byName;
    }
}
