package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimilarNamesTest {
    private static final List<String> FIELDS =
            List.of("batchSize", "dataset", "device", "devices", "epochs", "id", "kind", "seed", "shuffle");

    @ParameterizedTest
    @CsvSource({
        "epoch, epochs",
        "EPOCHS, epochs",
        "batch_size, batchSize",
        "batch, batchSize",
        "batchSizePerDevice, batchSize",
        "data_sets, dataset",
        "sed, seed",
        "vedice, device",
        "bs, batchSize"
    })
    void theMostSimilarNameIsFirst(String name, String nearest) {
        assertThat(SimilarNames.of(name, FIELDS).getFirst()).isEqualTo(nearest);
    }

    @ParameterizedTest
    @CsvSource({"momentum", "lr", "step", "width", "x", "''"})
    void suggestsNothingForDistantNames(String name) {
        assertThat(SimilarNames.of(name, FIELDS)).isEmpty();
    }

    @Test
    void similarNamesAreOrderedByDistance() {
        assertThat(SimilarNames.of("device", FIELDS)).containsExactly("device", "devices");
        assertThat(SimilarNames.of("tudui-1", List.of("else", "tudui-3", "my-tudui-1", "tudui-2", "tudui-1")))
                .containsExactly("tudui-1", "tudui-2", "tudui-3", "my-tudui-1");
    }

    @Test
    void comparesNamesOfAnyLengthQuickly() {
        assertThat(SimilarNames.of("e".repeat(1 << 20), FIELDS)).isEmpty();
    }
}
