package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import io.trainyard.Page;
import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the tables of docs/reference/datasets.md against the datasets.
class DatasetsPageTest {
    private static final Page PAGE = Page.read("docs/reference/datasets.md");
    private static final Page OWN = PAGE.section("## Your own dataset");

    static List<List<String>> rows() {
        return PAGE.table();
    }

    /// The classes with the allowed fields of a description, by its kind.
    static Stream<Class<?>> manifests() {
        return Arrays.stream(DatasetManifest.class.getPermittedSubclasses());
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void everyFieldOfADescriptionHasARow(Class<?> manifest) {
        String kind = Arrays.stream(
                        DatasetManifest.class.getAnnotation(JsonSubTypes.class).value())
                .filter(type -> type.value() == manifest)
                .findFirst()
                .orElseThrow()
                .name();
        List<String> documented = OWN.table().stream()
                .filter(row -> row.get(1).equals("all") || Page.code(row, 1).contains(kind))
                .flatMap(row -> Page.code(row, 0).stream())
                .toList();
        List<String> fields = new ArrayList<>(List.of("kind"));
        Arrays.stream(manifest.getRecordComponents()).forEach(field -> fields.add(field.getName()));
        assertThat(documented).containsExactlyInAnyOrderElementsOf(fields);
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void everyKindHasAnExampleThatCanBeRead(Class<?> manifest, @TempDir Path folder) throws IOException {
        List<DatasetManifest> examples = new ArrayList<>();
        for (String example : PAGE.code("json")) {
            if (example.startsWith("{\"kind\"")) { // others are jobs
                examples.add(ManifestJson.read(Files.writeString(folder.resolve("dataset.json"), example)));
            }
        }
        assertThat(examples).filteredOn(manifest::isInstance).hasSize(1);
    }

    @Test
    void everySetHasARow() {
        assertThat(rows()).extracting(row -> Page.code(row, 0).getFirst()).isEqualTo(Datasets.names());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aRowHasShapeClassesAndSizes(List<String> row) {
        DatasetInfo info = Datasets.find(Page.code(row, 0).getFirst()).orElseThrow();
        assertThat(row.get(1)).isEqualTo(info.shape().toString());
        assertThat(row.get(2)).isEqualTo(Integer.toString(info.outputs()));
        if (row.get(4).equals("generated")) {
            Dataset dataset = new DataRoot(Path.of("no-folder")).open(DatasetSpec.named(info.name()));
            assertThat(row.get(3))
                    .isEqualTo(String.format(
                            Locale.ROOT,
                            "%,d + %,d",
                            dataset.train().size(),
                            dataset.test().size()));
        } else {
            assertThat(row.get(3)).isEqualTo("as in the files");
        }
    }
}
