package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataRootTest {
    private static final String DESCRIPTION = """
            {"kind": "idx", "classNames": ["a", "b", "c"],
             "normalize": {"mean": [0.5], "std": [0.25]}}""";

    @TempDir
    Path folder;

    private Path root;
    private Path letters;

    @BeforeEach
    void writeLetters() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
        letters = Files.createDirectory(root.resolve("letters"));
        describe(DESCRIPTION);
        OwnIdx.write(letters, 3, 2);
    }

    private void describe(String json) throws IOException {
        Files.writeString(letters.resolve("dataset.json"), json);
    }

    private Dataset open(String name) {
        return new DataRoot(root).open(DatasetSpec.named(name));
    }

    private void assertRefused(String name, String... parts) {
        assertThatThrownBy(() -> open(name))
                .isInstanceOf(DatasetException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void describesADatasetByItsManifest() {
        assertThat(new DataRoot(root).describe(DatasetSpec.named("letters")))
                .isEqualTo(new DatasetInfo(
                        "letters",
                        Shape.of(1, 2, 2),
                        new DatasetInfo.Answers.Classes(List.of("a", "b", "c")),
                        new Normalize(List.of(0.5), List.of(0.25))));
        Dataset set = open("letters");
        assertThat(set.outputs()).isEqualTo(3);
        assertThat(set.train().labels()).containsExactly(0, 1, 2);
        assertThat(set.test().labels()).containsExactly(0, 1);
    }

    @Test
    void countedClassesAreNamedByTheirNumbers() throws IOException {
        describe("{\"kind\": \"idx\", \"classes\": 4}");
        assertThat(new DataRoot(root).describe(DatasetSpec.named("letters")).classNames())
                .containsExactly("0", "1", "2", "3");
    }

    /// A job that names a built-in dataset must behave the same everywhere.
    @Test
    void aBuiltInNameMeansTheBuiltInSet() throws IOException {
        Path own = Files.createDirectory(root.resolve("shapes64"));
        Files.writeString(own.resolve("dataset.json"), DESCRIPTION);
        assertThat(open("shapes64").train().size()).isEqualTo(2_400);
        assertThat(new DataRoot(root).described()).containsExactly("letters");
    }

    @Test
    void anUnknownNameReportsTheFolderItsDatasetsAndASuggestion() throws IOException {
        assertRefused(
                "leters",
                "dataset leters is not there: the data root " + root + " has no folder leters",
                "described there is letters; built in are cifar10, mnist",
                "the nearest name is \"letters\"",
                "--data");
        Files.createDirectory(root.resolve("bare"));
        assertRefused("bare", "the folder " + root.resolve("bare") + " has no dataset.json that describes it");
        root = folder.resolve("nowhere");
        assertRefused("letters", "the data root " + root + " has no folder letters", "no dataset is described there");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {"kind": "idx"}                                   | classes is missing; set their number, or name them in classNames
        {"kind": "cifar", "classes": 3, "labels": "both"} | labels is "both"; it must be one of [single, coarse, fine]
        {"kind": "idx", "classes": 3, "classNames": ["a"]} | classNames has 1 names, but classes is 3
        {"kind": "idx", "classes": 5000}                  | classes is 5000; allowed is 1 to 4096
        {"kind": "idx", "classes": "3"}                   | classes is "3"; it must be a whole number
        {"kind": "idx", "clases": 3}                      | the field "clases" is not known; the nearest is "classes"
        {"kind": "idx", "classes": 3, "path": "/etc"}     | the field "path" is not known; allowed is classNames, classes
        {"kind": "tar", "classes": 3}                     | kind is "tar"; allowed is idx, cifar, arrays, csv
        {"classes": 3}                                    | kind is missing; allowed is idx, cifar, arrays, csv
        {"kind": "idx", "classes": 3, "normalize": {"mean": [1, 1], "std": [1, 1]}} | 2 means and stds, but the images have 1 channels
        {"kind": "idx", "kind": "idx"}                                        | it is not JSON: Duplicate field 'kind'
        [1]                                                                   | it must be a JSON object
        {"kind":                                                              | it is not JSON
        """)
    void describesAnInvalidManifest(String json, String sentence) throws IOException {
        describe(json);
        assertRefused("letters", letters.resolve("dataset.json") + ": ", sentence, "docs/reference/datasets.md");
    }

    @Test
    void aLongDescriptionIsNotRead() throws IOException {
        describe(" ".repeat((1 << 20) + 1));
        assertRefused("letters", "it has more than 1048576 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..",
                "../letters",
                "/etc",
                "a/b",
                "a\\b",
                "%2e%2e",
                "..%2fletters",
                "file:letters",
                "s3://bucket",
                "letters\u0000",
                "~",
                ".",
                ""
            })
    void aNameIsNeverAPath(String name) {
        assertThatThrownBy(() -> DatasetSpec.named(name)).isInstanceOf(InvalidJobException.class);
    }

    @Test
    void rejectsLinksToFoldersOutsideTheRoot() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("dataset.json"), DESCRIPTION);
        Files.createSymbolicLink(root.resolve("linked"), elsewhere);
        assertRefused("linked", root.resolve("linked") + " leads out of the data root " + root);
        Files.createSymbolicLink(root.resolve("cifar10"), elsewhere);
        assertRefused("cifar10", root.resolve("cifar10") + " leads out of the data root " + root);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dataset.json", "train-labels-idx1-ubyte"})
    void rejectsLinksToFilesOutsideTheRoot(String name) throws IOException {
        Path moved = Files.move(letters.resolve(name), folder.resolve(name));
        Files.createSymbolicLink(letters.resolve(name), Path.of("../../" + name));
        assertThat(letters.resolve(name)).hasSameBinaryContentAs(moved);
        assertThatThrownBy(() -> open("letters"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(letters.resolve(name) + " leads out of the data root " + root)
                .hasMessageNotContaining(moved.toString());
    }

    /// Large files may be links to a single copy, and the root itself may be a link.
    @Test
    void aLinkWithinTheRootIsFollowed() throws IOException {
        Path kept = Files.createDirectory(root.resolve("kept"));
        String name = "train-images-idx3-ubyte";
        Files.move(letters.resolve(name), kept.resolve(name));
        Files.createSymbolicLink(letters.resolve(name), Path.of("../kept/" + name));
        root = Files.createSymbolicLink(folder.resolve("other"), root);
        assertThat(open("letters").train().size()).isEqualTo(3);
    }
}
