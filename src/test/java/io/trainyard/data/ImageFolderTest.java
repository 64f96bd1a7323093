package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.data.ImageFolder.Image;
import io.trainyard.data.image.GoldenPictures;
import io.trainyard.spec.Colors;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ImageFolderTest extends DatasetFolder {
    private static final DatasetSpec SMALL = spec(List.of(4, 6), null);

    ImageFolderTest() {
        super("photos");
    }

    private static DatasetSpec spec(@Nullable List<Integer> resize, @Nullable SplitSpec split) {
        return new DatasetSpec("photos", null, resize, null, split, null, null);
    }

    private void writeParts() throws IOException {
        StripedImages.write(folder.resolve("train"), 0, 12);
        StripedImages.write(folder.resolve("test"), 12, 20);
    }

    private Dataset open(DatasetSpec spec) {
        return new DataRoot(root).open(spec);
    }

    private void assertRefused(DatasetSpec spec, String... parts) {
        assertThatThrownBy(() -> open(spec))
                .isInstanceOf(DatasetException.class)
                .hasMessageContainingAll(parts);
    }

    private void assertInvalid(DatasetSpec spec, String... parts) {
        assertThatThrownBy(() -> open(spec))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void twoFoldersOfClassFoldersNeedNoDescription() throws IOException {
        writeParts();
        assertThat(new DataRoot(root).describe(SMALL))
                .isEqualTo(DatasetInfo.ofClasses(
                        "photos", Shape.of(3, 4, 6), List.of("Horizontal", "checks", "diagonal", "vertical")));
        Dataset set = open(SMALL);
        assertThat(set.train().labels()).containsExactly(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3);
        assertThat(set.test().labels()).containsExactly(0, 0, 1, 1, 2, 2, 3, 3);
        assertThat(set.train().samples().values()).isEqualTo(12 * 3 * 4 * 6);
        assertThat(set.warnings()).isEmpty();
    }

    @Test
    void usesValWithoutATestFolder() throws IOException {
        writeParts();
        Files.move(folder.resolve("test"), folder.resolve("val"));
        assertThat(open(SMALL).test().size()).isEqualTo(8);
    }

    @Test
    void picturesMayBecomeGrey() throws IOException {
        writeParts();
        DatasetSpec grey = new DatasetSpec("photos", Colors.GREY, null, List.of(8), null, null, null);
        assertThat(open(grey).shape()).isEqualTo(Shape.of(1, 8, 8));
    }

    /// Folders are sorted by whole path, with a hyphen before a slash; file names have capitals first; any
    /// depth.
    @Test
    void listsInTheOrderOfTorchvision() throws IOException {
        for (String file : List.of(
                "b/2.png",
                "b/10.PNG",
                "b/x/1.webp",
                "b/x-y/1.tif",
                "b/x/deep/0.jpeg",
                "b/Z.gif",
                "b/notes.txt",
                "a/.jpg")) {
            Files.createDirectories(folder.resolve(file).getParent());
            Files.createFile(folder.resolve(file));
        }
        Files.createFile(folder.resolve("beside.png"));
        DataFolder found = DataFolder.find(root, "photos").orElseThrow();
        assertThat(ImageFolder.of(found, found.path()).images())
                .containsExactly(
                        new Image("a/.jpg", 0),
                        new Image("b/10.PNG", 1),
                        new Image("b/2.png", 1),
                        new Image("b/Z.gif", 1),
                        new Image("b/x/1.webp", 1),
                        new Image("b/x-y/1.tif", 1),
                        new Image("b/x/deep/0.jpeg", 1));
    }

    @Test
    void namesAreInPythonsOrder() {
        assertThat(List.of("\ue000", "\ud83d\ude00", "z", "ä", "Z", "").stream().sorted(ImageFolder.BY_CODE_POINT))
                .containsExactly("", "Z", "z", "ä", "\ue000", "\ud83d\ude00");
    }

    @Test
    void aSplitEqualsTorchs() {
        for (JsonNode golden : GoldenPictures.splits()) {
            SplitSpec split = new SplitSpec(
                    share(golden.get("test")),
                    share(golden.get("validation")),
                    golden.get("seed").asLong());
            int[][] parts = RandomSplit.indices(golden.get("samples").asInt(), split);
            assertThat(parts[0]).isEqualTo(numbers(golden.get("train")));
            assertThat(parts[1]).isEqualTo(numbers(golden.get("validated")));
            assertThat(parts[2]).isEqualTo(numbers(golden.get("tested")));
        }
    }

    private static @Nullable Double share(JsonNode number) {
        return number.asDouble() == 0 ? null : Double.valueOf(number.asDouble());
    }

    /// Images next to a test part, drawn from the training part, or the third folder.
    @Test
    void hasAValidationPart() throws IOException {
        StripedImages.write(folder.resolve("train"), 0, 20);
        StripedImages.write(folder.resolve("test"), 20, 28);
        SplitSpec split = new SplitSpec(null, 0.25, 7);
        Dataset drawn = open(spec(List.of(4, 6), split));
        Dataset whole = open(SMALL);
        int[][] parts = RandomSplit.indices(20, split);
        Dataset.Split validation = Objects.requireNonNull(drawn.validation());
        assertThat(validation.labels())
                .isEqualTo(IntStream.of(parts[1])
                        .map(index -> whole.train().labels()[index])
                        .toArray());
        byte[] pixels = SplitBytes.pixels(whole.train());
        int bytes = pixels.length / 20;
        assertThat(Arrays.copyOf(SplitBytes.pixels(validation), bytes))
                .isEqualTo(Arrays.copyOfRange(pixels, parts[1][0] * bytes, (parts[1][0] + 1) * bytes));
        assertThat(drawn.train().size()).isEqualTo(15);
        assertThat(SplitBytes.pixels(drawn.test())).isEqualTo(SplitBytes.pixels(whole.test()));
        assertThat(drawn.forSelection().test()).isEqualTo(validation);
        assertThat(whole.validation()).isNull();

        StripedImages.write(folder.resolve("val"), 28, 32);
        assertThat(Objects.requireNonNull(open(SMALL).validation()).size()).isEqualTo(4);
        assertThat(open(SMALL).test().size()).isEqualTo(8);
        assertInvalid(spec(List.of(4, 6), split), "has a validation part; leave out dataset.split");

        UserFolder.at(folder).pack(root.resolve("packed"), SMALL, false);
        Dataset packed = new DataRoot(root).open(DatasetSpec.named("packed"));
        assertThat(SplitBytes.pixels(Objects.requireNonNull(packed.validation())))
                .isEqualTo(SplitBytes.pixels(Objects.requireNonNull(open(SMALL).validation())));
    }

    private static int[] numbers(JsonNode list) {
        return IntStream.range(0, list.size()).map(i -> list.get(i).asInt()).toArray();
    }

    @Test
    void splitsOneFolderAsInTheJob() throws IOException {
        StripedImages.write(folder, 0, 20);
        Dataset set = open(spec(List.of(4, 6), new SplitSpec(0.25, 7)));
        assertThat(set.train().size()).isEqualTo(15);
        assertThat(set.test().size()).isEqualTo(5);
        assertInvalid(SMALL, "no part to test with", "\"split\": {\"test\": 0.2, \"seed\": 0}");
        assertInvalid(spec(List.of(4, 6), new SplitSpec(0.01, 7)), "makes 0 of 20 samples test");
    }

    @Test
    void aDescriptionMayGiveTheSplitTheMeansAndTheShareOfBrokenFiles() throws IOException {
        StripedImages.write(folder, 0, 20);
        Files.writeString(folder.resolve("dataset.json"), """
                {"kind": "imageFolder", "split": {"test": 0.5}, "brokenShare": 0.2,
                 "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.2, 0.2, 0.2]}}""");
        Files.writeString(folder.resolve("checks/0.PNG"), "no picture");
        Dataset set = open(SMALL);
        assertThat(set.train().size() + set.test().size()).isEqualTo(19);
        assertThat(new DataRoot(root).describe(SMALL).normalize())
                .isEqualTo(new Normalize(List.of(0.5, 0.5, 0.5), List.of(0.2, 0.2, 0.2)));
    }

    @Test
    void skipsAFewBrokenFilesAndNamesThem() throws IOException {
        StripedImages.write(folder.resolve("train"), 0, 120);
        StripedImages.write(folder.resolve("test"), 120, 130);
        Dataset whole = open(SMALL);
        Path text = folder.resolve("train/diagonal/1.png");
        Files.writeString(text, "no picture");
        Dataset set = open(SMALL);
        assertThat(set.warnings())
                .containsExactly(
                        "1 of 120 files in photos/train cannot be read and is left out: diagonal/1.png: it is not a PNG, JPEG, BMP, GIF or WebP; convert it to one of these, or remove it");
        assertThat(set.train().size()).isEqualTo(119);
        int sample = set.shape().elements();
        assertThat(SplitBytes.pixels(set.train()))
                .as("other samples are unchanged")
                .isEqualTo(without(SplitBytes.pixels(whole.train()), 60, sample));
        Files.write(folder.resolve("train/checks/0.PNG"), new byte[0]);
        assertRefused(
                SMALL,
                "2 of 120 files in photos/train cannot be read and are more than the allowed share of 0.01",
                "checks/0.PNG",
                "diagonal/1.png",
                "\"brokenShare\"");
    }

    /// The first image of its class; the two classes before it have 30 images each.
    private static byte[] without(byte[] pixels, int image, int sample) {
        byte[] rest = new byte[pixels.length - sample];
        System.arraycopy(pixels, 0, rest, 0, image * sample);
        System.arraycopy(pixels, (image + 1) * sample, rest, image * sample, rest.length - image * sample);
        return rest;
    }

    @Test
    void imagesOfDifferentSizesNeedASize() throws IOException {
        writeParts();
        assertInvalid(spec(null, null), "all must become the same", "\"resize\": [");
        assertInvalid(spec(List.of(8), null), "all must become the same");
    }

    @Test
    void reportsMissingPartsOfAnImageFolder() throws IOException {
        assertRefused(SMALL, "has no dataset.json that describes it, and no folders of images");
        StripedImages.write(folder.resolve("checks/1.png"), 1);
        assertRefused(SMALL, "one folder in it, checks");
        Files.createDirectory(folder.resolve("empty"));
        assertRefused(
                spec(List.of(4, 6), new SplitSpec(0.5, 0)),
                "empty has no image in it, and every folder in",
                "is a class");
        Files.move(folder.resolve("empty"), folder.resolve("train"));
        assertRefused(SMALL, "has train/ and neither test/ nor val/");
        Files.createDirectory(folder.resolve("test"));
        assertRefused(SMALL, "train has no folder in it");
    }

    @Test
    void bothPartsHaveTheSameClasses() throws IOException {
        writeParts();
        Files.move(folder.resolve("test/checks"), folder.resolve("test/cheques"));
        assertRefused(SMALL, "checks only in train, cheques only in test");
    }

    @Test
    void rejectsASplitNextToATestPart() throws IOException {
        writeParts();
        assertInvalid(spec(List.of(4, 6), new SplitSpec(0.2, 0)), "has a part to test with; leave out dataset.split");
    }

    @Test
    void onlyFoldersOfImagesAreResized() {
        DatasetSpec digits = new DatasetSpec("shapes28", null, List.of(32), null, null, null, null);
        assertInvalid(digits, "dataset.resize is for folders of images, and shapes28 is not one; leave it out");
    }

    @Test
    void linksStayInTheDataRoot() throws IOException {
        writeParts();
        Path elsewhere = Files.createDirectory(root.resolveSibling("elsewhere"));
        StripedImages.write(elsewhere.resolve("1.png"), 1);
        Path link = folder.resolve("train/checks/linked");
        Files.createSymbolicLink(link, elsewhere);
        assertRefused(SMALL, "leads out of the data root");
        Files.delete(link);
        Files.createSymbolicLink(link, folder.resolve("train/checks"));
        assertRefused(SMALL, "does a symbolic link lead in a circle?");
    }
}
