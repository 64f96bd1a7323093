package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Page;
import io.trainyard.spec.DatasetSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Holds the table of docs/data-sets.md against the sets.
class DataSetsPageTest {
    static List<List<String>> rows() {
        return Page.read("docs/data-sets.md").table();
    }

    @Test
    void everySetHasARow() {
        assertThat(rows()).extracting(row -> Page.code(row, 0).getFirst()).isEqualTo(Datasets.names());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aRowTellsShapeClassesAndSizes(List<String> row) {
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
