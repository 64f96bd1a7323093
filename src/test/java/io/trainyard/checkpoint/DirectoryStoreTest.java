package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryStoreTest extends AbstractCheckpointStoreTest {
    @TempDir
    private Path folder;

    @Override
    URI newPlace() throws IOException {
        return Files.createDirectory(folder.resolve(UUID.randomUUID().toString()))
                .toUri();
    }

    @Override
    CheckpointStore open(URI place) {
        return CheckpointStore.open(place);
    }

    @Override
    CheckpointStore openToRead(URI place) {
        return CheckpointStore.openToRead(place);
    }

    @Override
    String scheme() {
        return "file";
    }

    private Path root() {
        return Path.of(place);
    }

    @Override
    List<String> unfinished(String name) throws IOException {
        try (Stream<Path> files = Files.list(root().resolve(name))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith("."))
                    .toList();
        }
    }

    @Override
    void putIdentity(String text) throws IOException {
        Files.writeString(root().resolve(".store-id"), text);
    }

    @Override
    void begin(String name) throws IOException {
        Path where = Files.createDirectories(root().resolve(name));
        Files.createFile(where.resolve(".writing-1234"));
    }

    @Test
    void opensAPathAndRefusesOtherSchemes() {
        assertThat(CheckpointStore.open(URI.create(folder + "/new")).uri("a").getPath())
                .isEqualTo(folder + "/new/a");
        assertThatThrownBy(() -> CheckpointStore.open(URI.create("ftp://host/a")))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("ftp")
                .hasMessageContaining("allowed is")
                .hasMessageContaining("s3://bucket/prefix");
    }

    @Test
    void saysWhenTheFolderCannotBe() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> CheckpointStore.open(file.toUri()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }
}
