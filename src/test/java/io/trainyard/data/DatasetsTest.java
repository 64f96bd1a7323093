package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetsTest {
    private static final String KNOWN = "cifar10, mnist, fashion-mnist, signs, shapes32, shapes28, shapes64";

    @TempDir
    Path root;

    @Test
    void namesWhatThereIs() {
        assertThat(String.join(", ", Datasets.names())).isEqualTo(KNOWN);
    }

    @Test
    void everyNameIsOneAJobCanSay() {
        assertThat(Datasets.names())
                .allSatisfy(name -> assertThat(DatasetSpec.named(name).name()).isEqualTo(name));
    }

    @Test
    void describesWithoutFiles() {
        assertThat(Datasets.describe("signs"))
                .isEqualTo(new DatasetInfo("signs", Shape.of(3, 64, 64), List.of("0", "1", "2", "3", "4", "5")));
        assertThat(Datasets.describe("mnist").classes()).isEqualTo(10);
        assertThat(Datasets.describe("shapes64").classNames())
                .containsExactly("disc", "cross", "triangle", "horizontal stripes", "frame", "diagonal cross");
    }

    @Test
    void refusesAnUnknownName() {
        String expected = "dataset is \"imagenet\"; allowed is one of " + KNOWN;
        assertThatThrownBy(() -> Datasets.requireKnown("imagenet"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(expected);
        assertThatThrownBy(() -> Datasets.open(root, "imagenet"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cifar10", "mnist", "fashion-mnist", "signs"})
    void saysWhichFolderIsMissingAndWhereItLooked(String name) {
        assertThatThrownBy(() -> Datasets.open(root, name))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("data set " + name + " is not there")
                .hasMessageContaining(root.toAbsolutePath().toString())
                .hasMessageContaining("; get ")
                .hasMessageContaining("--data");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cifar10", "mnist", "fashion-mnist", "signs"})
    void saysWhichFileIsMissing(String name) throws Exception {
        Path folder = Files.createDirectory(root.resolve(name));
        assertThatThrownBy(() -> Datasets.open(root, name))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(" is missing in " + folder.toAbsolutePath());
    }

    @Test
    void generatesWithoutADataRoot() {
        Dataset shapes = Datasets.open(root.resolve("nowhere"), "shapes64");
        assertThat(shapes.train().size()).isEqualTo(2_400);
    }
}
