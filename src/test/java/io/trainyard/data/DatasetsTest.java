package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
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
    void listsTheDatasets() {
        assertThat(String.join(", ", Datasets.names())).isEqualTo(KNOWN);
    }

    @Test
    void everyNameIsValidInJobs() {
        assertThat(Datasets.names())
                .allSatisfy(name -> assertThat(DatasetSpec.named(name).name()).isEqualTo(name));
    }

    @Test
    void describesWithoutFiles() {
        assertThat(Datasets.find("signs").orElseThrow())
                .isEqualTo(DatasetInfo.ofClasses("signs", Shape.of(3, 64, 64), List.of("0", "1", "2", "3", "4", "5")));
        assertThat(Datasets.find("mnist").orElseThrow().outputs()).isEqualTo(10);
        assertThat(Datasets.find("shapes64").orElseThrow().classNames())
                .containsExactly("disc", "cross", "triangle", "horizontal stripes", "frame", "diagonal cross");
    }

    @Test
    void rejectsOtherNames() {
        assertThat(Datasets.find("imagenet")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cifar10", "mnist", "fashion-mnist", "signs"})
    void namesTheMissingFolderAndTheSearchedPlaces(String name) {
        assertThatThrownBy(() -> new DataRoot(root).open(DatasetSpec.named(name)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("dataset " + name + " is not there")
                .hasMessageContaining(root.toAbsolutePath().toString())
                .hasMessageContaining("; get ")
                .hasMessageContaining("--data");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cifar10", "mnist", "fashion-mnist", "signs"})
    void namesTheMissingFile(String name) throws Exception {
        Path folder = Files.createDirectory(root.resolve(name));
        assertThatThrownBy(() -> new DataRoot(root).open(DatasetSpec.named(name)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(" is missing in " + folder.toAbsolutePath());
    }

    @Test
    void generatesWithoutADataRoot() {
        Dataset shapes = new DataRoot(root.resolve("nowhere")).open(DatasetSpec.named("shapes64"));
        assertThat(shapes.train().size()).isEqualTo(2_400);
    }
}
