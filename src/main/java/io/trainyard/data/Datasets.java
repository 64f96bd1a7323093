package io.trainyard.data;

import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/// The data sets that a job can name. A new one is a [DatasetSource] and a line here.
public final class Datasets {
    private static final List<String> CIFAR10 =
            List.of("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck");
    private static final List<String> FASHION = List.of(
            "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot");

    private static final Map<String, Entry> ENTRIES = registry(
            entry("cifar10", Shape.of(3, 32, 32), CIFAR10, new Cifar10Reader()),
            entry("mnist", Shape.of(1, 28, 28), digits(10), IdxReader.mnist()),
            entry("fashion-mnist", Shape.of(1, 28, 28), FASHION, IdxReader.fashionMnist()),
            entry("signs", Shape.of(3, 64, 64), digits(6), new SignsReader()),
            entry("shapes32", Shape.of(3, 32, 32), figures(10), ShapesGenerator.shapes32()),
            entry("shapes28", Shape.of(1, 28, 28), figures(10), ShapesGenerator.shapes28()),
            entry("shapes64", Shape.of(3, 64, 64), figures(6), ShapesGenerator.shapes64()));

    private Datasets() {}

    private record Entry(DatasetInfo info, DatasetSource source) {}

    /// All names: first those read from files, then the generated ones.
    public static List<String> names() {
        return List.copyOf(ENTRIES.keySet());
    }

    /// Reads or generates the whole set; takes up to a second.
    ///
    /// @param root the data root; the generated sets do not look at it
    /// @throws DatasetException if no set has this name, or its files are missing or not what they should be
    public static Dataset open(Path root, String name) {
        Entry entry = ENTRIES.get(name);
        if (entry == null) {
            throw new DatasetException(unknown(name));
        }
        return entry.source().read(root, entry.info());
    }

    /// Shape and classes, without reading a file: enough to fit a network to the set.
    ///
    /// @throws InvalidJobException if no set has this name
    public static DatasetInfo describe(String name) {
        Entry entry = ENTRIES.get(name);
        if (entry == null) {
            throw new InvalidJobException(unknown(name));
        }
        return entry.info();
    }

    /// Reads no file: whether the set's files are there shows only in [#open].
    ///
    /// @throws InvalidJobException if no set has this name
    public static void requireKnown(String name) {
        var _ = describe(name);
    }

    private static String unknown(String name) {
        return "dataset is \"%s\"; allowed is one of %s".formatted(name, String.join(", ", names()));
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
        return new Entry(new DatasetInfo(name, shape, classNames), source);
    }

    private static Map<String, Entry> registry(Entry... entries) {
        Map<String, Entry> byName = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byName.put(entry.info().name(), entry);
        }
        return byName;
    }
}
