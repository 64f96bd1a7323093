package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A data root with one folder, which is a dataset.
abstract class DatasetFolder {
    private final String name;

    @TempDir
    private Path outer;

    Path root;
    Path folder;

    DatasetFolder(String name) {
        this.name = name;
    }

    @BeforeEach
    void makeFolder() throws IOException {
        root = Files.createDirectory(outer.resolve("root"));
        folder = Files.createDirectory(root.resolve(name));
    }

    void write(String file, byte[] content) throws IOException {
        Files.write(folder.resolve(file), content);
    }

    void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }

    Dataset open() {
        return new DataRoot(root).open(DatasetSpec.named(name));
    }

    void assertRefused(String... parts) {
        assertThatThrownBy(this::open).isInstanceOf(DatasetException.class).hasMessageContainingAll(parts);
    }

    static float[] values(Dataset.Split split) {
        return split.samples().memory().toArray(Samples.Values.LAYOUT);
    }
}
