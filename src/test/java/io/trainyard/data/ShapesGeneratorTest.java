package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.Dataset.Split;
import io.trainyard.spec.DatasetSpec;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShapesGeneratorTest {
    private static Dataset open(String name) {
        return new DataRoot(Path.of("unused")).open(DatasetSpec.named(name));
    }

    /// Fixed, so that losses on these datasets are comparable across machines and years.
    @ParameterizedTest
    @CsvSource({
        "shapes32, 6400, 1000, 7ba569750bfbda5cfdf664badf619dd80fed7b5214b1682680f49f6383ec931d",
        "shapes28, 10000, 1000, 85b621689e1608f4fab362f39dcbe10f5ce02a02aac343d7d11b528ea612ae8a",
        "shapes64, 2400, 300, 32e5eb9c2988edf7dfce3c0f209ac2f4e57be225f631401a03686bbcdfbcc664",
    })
    void givesTheSameBitsEverywhere(String name, int train, int test, String sha256) throws Exception {
        Dataset set = open(name);
        assertThat(set.train().size()).isEqualTo(train);
        assertThat(set.test().size()).isEqualTo(test);
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(SplitBytes.pixels(set.train()));
        digest.update(SplitBytes.labels(set.train()));
        digest.update(SplitBytes.pixels(set.test()));
        digest.update(SplitBytes.labels(set.test()));
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(sha256);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shapes32", "shapes28", "shapes64"})
    void hasEveryClassEquallyOften(String name) {
        Dataset set = open(name);
        for (Split split : new Split[] {set.train(), set.test()}) {
            assertThat(histogram(split.labels(), 0, split.size(), set.outputs()))
                    .containsOnly(split.size() / set.outputs());
        }
    }

    /// Classes must be mixed even for a job that does not shuffle.
    @ParameterizedTest
    @ValueSource(strings = {"shapes32", "shapes28", "shapes64"})
    void mixesTheClasses(String name) {
        Dataset set = open(name);
        int window = 20 * set.outputs();
        for (int from = 0; from + window <= set.train().size(); from += window) {
            assertThat(histogram(set.train().labels(), from, from + window, set.outputs()))
                    .allSatisfy(count -> assertThat(count).isBetween(3, 45));
        }
    }

    @Test
    void drawsOtherPicturesToTestThanToTrain() {
        Dataset set = open("shapes64");
        int bytes = set.shape().elements();
        assertThat(Arrays.equals(SplitBytes.pixels(set.train()), 0, bytes, SplitBytes.pixels(set.test()), 0, bytes))
                .isFalse();
        assertThat(Arrays.equals(
                        SplitBytes.pixels(set.train()), 0, bytes, SplitBytes.pixels(set.train()), bytes, 2 * bytes))
                .isFalse();
    }

    private static Integer[] histogram(int[] labels, int from, int to, int classes) {
        Integer[] counts = new Integer[classes];
        Arrays.fill(counts, 0);
        for (int i = from; i < to; i++) {
            counts[labels[i]]++;
        }
        return counts;
    }
}
