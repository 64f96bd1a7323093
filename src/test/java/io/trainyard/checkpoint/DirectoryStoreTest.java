package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void reportsAnUnusableFolder() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> CheckpointStore.open(file.toUri()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }

    /// The name is too long for file systems, so they report an error instead of a missing file.
    @Test
    void anErrorIsNotMistakenForAMissingObject() {
        write("job/a", "one");
        String key = "job/" + "a".repeat(300);
        List<Runnable> uses = List.of(
                () -> store.has(key),
                () -> store.open(key),
                () -> store.list(key),
                () -> store.sweep(key),
                () -> store.delete(key),
                () -> write(key, "x"),
                () -> store.createIfAbsent(key, new byte[0]),
                () -> store.note(key));
        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use::run)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("File name too long"));
    }

    @Test
    void aMissingFolderIsNotAnEmptyStore() throws IOException {
        write("a", "one");
        Files.delete(root().resolve("a"));
        Files.delete(root());
        List<Runnable> uses =
                List.of(() -> store.has("a"), () -> store.open("a"), () -> store.list("job"), () -> store.delete("a"));
        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use::run)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("is missing; is its volume mounted?"));
    }

    /// If the manifest's path cannot be read, the checkpoint must not be deleted.
    @Test
    void anErrorAtTheManifestDeletesNoCheckpoint() throws IOException {
        Path files = Files.createDirectories(root().resolve("job/checkpoints"));
        Path model = Files.writeString(files.resolve("step-0000000005-1.safetensors"), "model");
        Path manifest = files.resolve("step-0000000005-1.json");
        Files.createSymbolicLink(manifest, manifest); // ELOOP
        CheckpointKey key = CheckpointKey.list(store, "job").getFirst();
        assertThat(store.uri(key.manifest()).getPath()).isEqualTo(manifest.toString());
        Files.writeString(files.resolve("step-0000000005-1.training.safetensors"), "training");
        JobFolder job = new JobFolder(store, "job");
        assertThatThrownBy(() -> job.checkpoints().resume(job.chain(), 2)).isInstanceOf(StoreException.class);
        assertThat(model).hasContent("model");
    }

    /// A link in place of an object, its folder, and its folder's parent.
    @ParameterizedTest
    @ValueSource(strings = {"job/checkpoints/a", "job/checkpoints", "job"})
    void followsNoSymbolicLink(String planted) throws IOException {
        Path elsewhere =
                Files.createDirectories(folder.resolve(UUID.randomUUID().toString()));
        Path outside = Files.createDirectories(elsewhere.resolve("checkpoints")).resolve("a");
        Files.writeString(outside, "secret");
        Files.createFile(outside.resolveSibling(".writing-1"));
        Path target = switch (planted) {
            case "job" -> elsewhere;
            case "job/checkpoints" -> outside.getParent();
            default -> outside;
        };
        Path link = root().resolve(planted);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, target);

        List<Runnable> uses = new ArrayList<>(List.of(
                () -> store.open("job/checkpoints/a"),
                () -> store.has("job/checkpoints/a"),
                () -> write("job/checkpoints/a", "x"),
                () -> store.createIfAbsent("job/checkpoints/a", new byte[0]),
                () -> store.note("job/checkpoints/a"),
                () -> openToRead(place).open("job/checkpoints/a")));
        if (!planted.endsWith("/a")) {
            uses.add(() -> write("job/checkpoints/new/b", "x"));
            uses.add(() -> store.list("job/checkpoints"));
            uses.add(() -> store.sweep("job/checkpoints"));
            uses.add(() -> store.delete("job/checkpoints/a"));
        }
        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use::run)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining(link + ": is a symbolic link"));
        assertThat(outside).hasContent("secret");
        assertThat(outside.resolveSibling(".writing-1")).exists();
        assertThat(outside.resolveSibling("new")).doesNotExist();
    }

    @Test
    void deletingALinkKeepsItsTarget() throws IOException {
        Path outside = Files.writeString(folder.resolve("outside"), "secret");
        Path link = Files.createDirectories(root().resolve("job")).resolve("a");
        Files.createSymbolicLink(link, outside);
        store.delete("job/a");
        assertThat(link).doesNotExist();
        assertThat(outside).hasContent("secret");
    }

    @Test
    void theIdentityIsNoLink() throws IOException {
        Path outside =
                Files.writeString(folder.resolve("outside"), UUID.randomUUID().toString());
        Files.createSymbolicLink(root().resolve(".store-id"), outside);
        assertThatThrownBy(store::identity)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is a symbolic link");
    }

    /// Volumes may be mounted through links.
    @Test
    void theRootMayBeALink() throws IOException {
        write("job/a", "one");
        Path link = Files.createSymbolicLink(folder.resolve("link"), root());
        CheckpointStore linked = CheckpointStore.open(link.toUri());
        assertThat(linked.read("job/a").orElseThrow()).asString().isEqualTo("one");
        assertThat(linked.createIfAbsent("job/b", new byte[0])).isTrue();
        assertThat(store.list("job")).containsExactly("job/a", "job/b");
    }

    /// Opening a FIFO for reading blocks until there is a writer.
    @Test
    void aPipeIsNotOpened() throws Exception {
        Path pipe = Files.createDirectories(root().resolve("job")).resolve("a");
        assertThat(Patience.exitStatus(new ProcessBuilder("mkfifo", pipe.toString()).start()))
                .isZero();
        assertThatThrownBy(() -> store.open("job/a"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is not a regular file");
    }
}
