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

/// The parts of a folder: folders of class folders, or one that is split.
///
/// @param train holds also the images of the parts that are null, unless there is no validation part
/// @param test null: `split` takes the test part from `train`
/// @param validation null: `split` may take it from `train`
/// @param split null if nothing is drawn
record ImageParts(
        ImageFolder train,
        @Nullable ImageFolder validation,
        @Nullable ImageFolder test,
        @Nullable SplitSpec split) {
    private static final String TRAIN = "train";
    private static final String TEST = "test";

    /// Next to `test`; without it, the test part.
    private static final List<String> VALIDATION = List.of("val", "validation");

    record Part(String name, ImageFolder folder, List<Image> images) {}

    record Listed(Part train, @Nullable Part validation, Part test) {}

    /// @param split from the job or the dataset's description; null if neither has one
    /// @throws DatasetException if the folder has no classes, or only one part
    /// @throws InvalidJobException if a split is missing, or is set in spite of such a part
    static ImageParts of(DataFolder folder, @Nullable SplitSpec split) {
        if (!hasTests(folder)) {
            ImageFolder whole = ImageFolder.of(folder, folder.path());
            if (split == null || split.test() == null) {
                throw new InvalidJobException(
                        "%s has class folders (%s) and no part to test with; write into the job's dataset \"split\": {\"test\": 0.2, \"seed\": 0}, or sort the class folders into train/ and test/"
                                .formatted(folder.path(), some(whole.classes())));
            }
            return new ImageParts(whole, null, null, split);
        }
        List<Path> others = Stream.concat(Stream.of(TEST), VALIDATION.stream())
                .map(folder.path()::resolve)
                .filter(Files::isDirectory)
                .toList();
        if (others.isEmpty()) {
            throw new DatasetException(
                    "%s has train/ and neither test/ nor val/; put the images to test with into %s, a folder for each class, or put the class folders of train/ into %s and write into the job's dataset \"split\": {\"test\": 0.2, \"seed\": 0}"
                            .formatted(folder.path(), folder.path().resolve(TEST), folder.path()));
        }
        Path validation = others.getFirst().endsWith(TEST) && others.size() > 1 ? others.get(1) : null;
        RandomSplit.requireMissing(folder.path().toString(), split, true, validation != null);
        ImageParts parts = new ImageParts(
                ImageFolder.of(folder, folder.inside(folder.path().resolve(TRAIN))),
                validation == null ? null : ImageFolder.of(folder, folder.inside(validation)),
                ImageFolder.of(folder, folder.inside(others.getFirst())),
                split);
        parts.requireSameClasses(parts.test);
        parts.requireSameClasses(parts.validation);
        return parts;
    }

    static boolean hasTests(DataFolder folder) {
        return Files.isDirectory(folder.path().resolve(TRAIN));
    }

    /// torchvision numbers the classes of each folder separately, so different classes would give wrong labels.
    private void requireSameClasses(@Nullable ImageFolder other) {
        if (other == null || train.classes().equals(other.classes())) {
            return;
        }
        List<String> onlyTrain = without(train.classes(), other.classes());
        List<String> onlyOther = without(other.classes(), train.classes());
        throw new DatasetException("%s and %s have not the same classes: %s; give both a folder for each class"
                .formatted(
                        train.path(),
                        other.path(),
                        Stream.of(only(onlyTrain, train), only(onlyOther, other))
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
        if (split == null) {
            return new Listed(
                    whole(train), validation == null ? null : whole(validation), whole(Objects.requireNonNull(test)));
        }
        List<Image> images = train.images();
        int[][] parts = RandomSplit.indices(images.size(), split);
        return new Listed(
                pick("train", images, parts[0]),
                parts[1].length == 0 ? null : pick("validation", images, parts[1]),
                test == null ? pick("test", images, parts[2]) : whole(test));
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
