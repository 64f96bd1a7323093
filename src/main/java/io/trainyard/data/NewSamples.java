package io.trainyard.data;

import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.data.ImageFolder.Image;
import io.trainyard.data.image.BrokenImageException;
import io.trainyard.data.image.DecodedImage;
import io.trainyard.data.image.ImageSize;
import io.trainyard.data.image.ImageTransform;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/// Samples that belong to no dataset, read as those of a dataset are, in parts of bounded memory.
public final class NewSamples {
    /// The label of a sample whose class is not known.
    public static final int UNKNOWN = -1;

    private static final int PART_BYTES = 32 << 20;

    private final Path path;
    private final DatasetInfo info;
    private final int limit;
    private final Consumer<Part> parts;

    /// Some of the samples.
    ///
    /// @param names the files, or the numbers of the rows
    /// @param targets [#UNKNOWN] or NaN where there is none
    public record Part(List<String> names, Samples samples, Targets targets) {}

    /// @param path a folder of images or a table
    /// @param info the dataset with which the network was trained
    /// @param limit the number of samples to read at most
    NewSamples(Path path, DatasetInfo info, int limit, Consumer<Part> parts) {
        this.path = path;
        this.info = info;
        this.limit = limit;
        this.parts = parts;
    }

    /// Reads the images in a folder and its subfolders, in order. The class is known if the first subfolder has
    /// its name.
    ///
    /// @param skipped receives a sentence for each file that cannot be read or has another size
    /// @throws DatasetException if there is no image, or none that can be read
    void readImages(ImageTransform transform, Consumer<String> skipped) {
        ImageFolder folder = new ImageFolder(folder(), path, List.of("."));
        if (folder.any() == null) {
            throw new DatasetException("there is no image in %s; name a folder that has some".formatted(path));
        }
        List<Image> images = folder.images();
        images = images.subList(0, Math.min(limit, images.size()));
        int atOnce = Math.max(1, PART_BYTES / info.shape().elements());
        int read = 0;
        for (int from = 0; from < images.size(); from += atOnce) {
            List<Image> some = images.subList(from, Math.min(images.size(), from + atOnce));
            read += read(new ImageParts.Part("the images", folder, some), transform, skipped);
        }
        if (read == 0) {
            throw new DatasetException("no image in %s can be read".formatted(path));
        }
    }

    private DataFolder folder() {
        if (!Files.isDirectory(path)) {
            throw new DatasetException(
                    "%s is %s; name a folder of images".formatted(path, Files.exists(path) ? "a file" : "not there"));
        }
        try {
            return new DataFolder(path.toRealPath(), path.toRealPath());
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
    }

    private int read(ImageParts.Part part, ImageTransform transform, Consumer<String> skipped) {
        int sample = info.shape().elements();
        MemorySegment memory = MemorySegment.ofArray(new byte[part.images().size() * sample]);
        SortedMap<Integer, String> broken = new ImageDecoding(part, new OfOneSize(transform, memory)).read();
        broken.values().forEach(sentence -> skipped.accept(sentence.substring("./".length())));
        int[] kept = IntStream.range(0, part.images().size())
                .filter(i -> !broken.containsKey(i))
                .toArray();
        for (int i = 0; i < kept.length; i++) {
            MemorySegment.copy(memory, (long) kept[i] * sample, memory, (long) i * sample, sample);
        }
        List<String> names = Arrays.stream(kept)
                .mapToObj(i -> part.images().get(i).file().substring("./".length()))
                .toList();
        if (kept.length > 0) {
            int[] labels = names.stream()
                    .mapToInt(name -> info.classNames().indexOf(name.replaceFirst("/.*", "")))
                    .toArray();
            parts.accept(new Part(
                    names,
                    new Samples.Pixels(memory.asSlice(0, (long) kept.length * sample)),
                    new Targets.ClassLabels(labels)));
        }
        return kept.length;
    }

    /// Writes each image at its own index. An image of another size counts as broken.
    private final class OfOneSize implements ImageDecoding.ImageConsumer {
        private final ImageTransform transform;
        private final MemorySegment memory;

        OfOneSize(ImageTransform transform, MemorySegment memory) {
            this.transform = transform;
            this.memory = memory;
        }

        @Override
        public void expect(Path file, ImageSize size) {
            Shape shape = info.shape();
            ImageSize becomes = transform.sizeOf(size);
            if (becomes.height() != shape.size(1) || becomes.width() != shape.size(2)) {
                throw new BrokenImageException("it becomes %s pixels, and the network takes %d x %d (width x height)"
                        .formatted(becomes, shape.size(2), shape.size(1)));
            }
        }

        @Override
        public void take(int index, DecodedImage picture) {
            long sample = info.shape().elements();
            transform.apply(picture).writePlanes(memory.asSlice(index * sample, sample));
        }
    }

    /// Reads the rows of a table. The targets are known if the table has their columns.
    ///
    /// @param features the columns of the samples
    /// @param answers the columns of the targets
    /// @throws DatasetException if a column is missing, or a value cannot be read
    void readRows(CsvTable table, CsvFeatures features, List<String> answers) {
        List<String> all = table.columns();
        boolean known = all.containsAll(answers);
        List<String> used = new ArrayList<>(features.columns());
        if (!table.hasHeader() && all.size() == features.columns().size()) {
            used = new ArrayList<>(all); // the table has no column of targets before the others
            known = false;
        }
        if (known) {
            used.addAll(answers);
        }
        Answers read = known ? info.answers() : new Answers.Numbers(0);
        Rows rows = new Rows(features, read);
        table.forEach(used, (values, row) -> {
            if (rows.number < limit) {
                rows.add(values, row);
            }
        });
        rows.pass();
    }

    private final class Rows {
        private final CsvFeatures features;
        private final Answers answers;
        private final int atOnce;
        private CsvRows rows;
        private int count;
        private int number;

        Rows(CsvFeatures features, Answers answers) {
            this.features = features;
            this.answers = answers;
            this.atOnce = Math.max(1, PART_BYTES / Float.BYTES / features.width());
            this.rows = new CsvRows(features, answers);
        }

        void add(List<String> values, CsvTable.Row row) {
            rows.add(values, row);
            count++;
            number++;
            if (count == atOnce) {
                pass();
            }
        }

        void pass() {
            if (count == 0 && number > 0) {
                return;
            }
            Dataset.Split split = rows.split(path);
            List<String> names = IntStream.range(number - count, number)
                    .mapToObj(Integer::toString)
                    .toList();
            parts.accept(new Part(names, split.samples(), targets(split.targets())));
            rows = new CsvRows(features, answers);
            count = 0;
        }

        private Targets targets(Targets read) {
            if (answers.equals(info.answers())) {
                return read;
            }
            return switch (info.answers()) {
                case Answers.Classes _ -> {
                    int[] labels = new int[count];
                    Arrays.fill(labels, UNKNOWN);
                    yield new Targets.ClassLabels(labels);
                }
                case Answers.Numbers(int outputs) -> {
                    float[] numbers = new float[count * outputs];
                    Arrays.fill(numbers, Float.NaN);
                    yield new Targets.Numbers(numbers, outputs);
                }
            };
        }
    }
}
