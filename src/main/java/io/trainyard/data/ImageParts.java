package io.trainyard.data;

import io.trainyard.data.ImageFolder.Image;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.SplitSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The training and test parts of a folder: two folders of class folders, or one that is split.
///
/// @param train holds all images if `test` is null
/// @param test null: `split` takes the test part from `train`
record ImageParts(
        ImageFolder train,
        @Nullable ImageFolder test,
        @Nullable SplitSpec split) {
    private static final String TRAIN = "train";
    private static final List<String> TEST = List.of("test", "val");

    record Part(String name, ImageFolder folder, List<Image> images) {}

    record Listed(Part train, Part test) {}

    /// @param split from the job or the dataset's description; null if neither has one
    /// @throws DatasetException if the folder has no classes, or only one part
    /// @throws InvalidJobException if a split is missing, or is set in spite of a test part
    static ImageParts of(DataFolder folder, @Nullable SplitSpec split) {
        Optional<Path> test = TEST.stream()
                .map(folder.path()::resolve)
                .filter(Files::isDirectory)
                .findFirst();
        Path train = folder.path().resolve(TRAIN);
        if (!hasTests(folder)) {
            ImageFolder whole = ImageFolder.of(folder, folder.path());
            if (split == null) {
                throw new InvalidJobException(
                        "%s has class folders (%s) and no part to test with; write into the job's dataset \"split\": {\"test\": 0.2, \"seed\": 0}, or sort the class folders into train/ and test/"
                                .formatted(folder.path(), some(whole.classes())));
            }
            return new ImageParts(whole, null, split);
        }
        if (test.isEmpty()) {
            throw new DatasetException(
                    "%s has train/ and neither test/ nor val/; put the images to test with into %s, a folder for each class, or put the class folders of train/ into %s and write into the job's dataset \"split\": {\"test\": 0.2, \"seed\": 0}"
                            .formatted(folder.path(), folder.path().resolve("test"), folder.path()));
        }
        if (split != null) {
            throw new InvalidJobException("%s has a part to test with, %s; leave out dataset.split"
                    .formatted(folder.path(), test.get().getFileName()));
        }
        ImageParts parts = new ImageParts(
                ImageFolder.of(folder, folder.inside(train)), ImageFolder.of(folder, folder.inside(test.get())), null);
        parts.requireSameClasses();
        return parts;
    }

    static boolean hasTests(DataFolder folder) {
        return Files.isDirectory(folder.path().resolve(TRAIN));
    }

    /// torchvision numbers the classes of each folder separately, so different classes would give wrong labels.
    private void requireSameClasses() {
        if (test == null || train.classes().equals(test.classes())) {
            return;
        }
        List<String> onlyTrain = without(train.classes(), test.classes());
        List<String> onlyTest = without(test.classes(), train.classes());
        throw new DatasetException("%s and %s have not the same classes: %s; give both a folder for each class"
                .formatted(
                        train.path(),
                        test.path(),
                        Stream.of(only(onlyTrain, train), only(onlyTest, test))
                                .flatMap(Optional::stream)
                                .reduce((a, b) -> a + ", " + b)
                                .orElse("")));
    }

    private static Optional<String> only(List<String> names, ImageFolder folder) {
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "%s only in %s".formatted(some(names), folder.path().getFileName()));
    }

    private static List<String> without(List<String> names, List<String> others) {
        return names.stream().filter(name -> !others.contains(name)).toList();
    }

    private static String some(List<String> names) {
        return String.join(", ", names.subList(0, Math.min(5, names.size()))) + (names.size() > 5 ? ", ..." : "");
    }

    Listed list() {
        if (test != null) {
            return new Listed(whole(train), whole(test));
        }
        List<Image> images = train.images();
        int[][] parts = RandomSplit.indices(images.size(), Objects.requireNonNull(split));
        return new Listed(pick("train", images, parts[0]), pick("test", images, parts[1]));
    }

    private static Part whole(ImageFolder folder) {
        return new Part(folder.name(), folder, folder.images());
    }

    private Part pick(String name, List<Image> images, int[] indices) {
        return new Part(
                "%s (%s part)".formatted(train.name(), name),
                train,
                Arrays.stream(indices).mapToObj(images::get).toList());
    }
}
