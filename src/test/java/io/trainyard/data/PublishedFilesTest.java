package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.data.Dataset.Split;
import io.trainyard.spec.DatasetSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Reads the published datasets (CIFAR-10 with 2,000 images per file) and compares them with the results of
/// numpy, gzip and h5py: SHA-256 over all pixels as (N, C, H, W) and over all labels, each as bytes.
class PublishedFilesTest {
    private static final Path ROOT = Path.of("../shared/data");

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource({
        "cifar10, train, 10000, d00aee4eca953d37126d829ec223a09dc5ff03be86a5ef542493e2941ffbde7a,"
                + " f24756e9fc27107597cd054b9df7247b4e5ab61780d1e5d55e7b1015307573de",
        "cifar10, test, 2000, 0851c7184faa256033cd9df6ec940bbb2f350e6f3a05a284e5cd37ae7c9386bc,"
                + " 19efeabbd5fed476d80e2ce2609cdc76c23b9694a1631c6371599ab362810a91",
        "fashion-mnist, train, 60000, 2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012,"
                + " 657fbd221bfc9f4198cc14b5619cc33ec57c58dd0e47af4d99d6650759e869a7",
        "fashion-mnist, test, 10000, c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a,"
                + " 3d0e6c6ea990b53b6f8f500a41cac93881d981b315f84578b7d915342ade01e9",
        "signs, train, 1080, 0cb615ccca9af6b20cbb5958de773fb0eb40496d38ce0717db1412147b294b83,"
                + " efb94c034b236b8e4811c963c3f2a6ad37d64c645ecb5a77231322d8635001b6",
        "signs, test, 120, bddfd4b06f3c69112cf6a6dc2a4600943473a690bf1317c959ee6cb1e2535d4a,"
                + " 767bf4551109eede0756d7f5ebecaab3edaf512f299eeaa3b052d8aac436f20b",
    })
    void readsTheValuesOfPython(String name, String part, int size, String pixels, String labels) throws Exception {
        assumeTrue(
                Files.isDirectory(ROOT.resolve(name)),
                () -> "needs the published files of %s in %s".formatted(name, ROOT.resolve(name)));
        Dataset set = new DataRoot(ROOT).open(DatasetSpec.named(name));
        Split split = part.equals("train") ? set.train() : set.test();
        assertThat(split.size()).isEqualTo(size);
        assertThat(sha256(SplitBytes.pixels(split))).isEqualTo(pixels);
        assertThat(sha256(SplitBytes.labels(split))).isEqualTo(labels);
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
