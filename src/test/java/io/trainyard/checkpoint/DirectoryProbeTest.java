package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryProbeTest {
    @TempDir
    private Path folder;

    @AfterEach
    void leavesNothing() {
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void acceptsALocalDisk() {
        assertThatCode(() -> new DirectoryProbe(folder).require()).doesNotThrowAnyException();
    }

    /// A real file system without hard links.
    @Test
    void refusesOneWithoutLinks() throws IOException {
        Path zip = folder.resolve("store.zip");
        try (FileSystem files = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            refuses(
                    new DirectoryProbe(files.getPath("/")) {
                        @Override
                        void sync(Path path) {} // the zip file system has no fsync, either
                    },
                    "has no hard links");
        } finally {
            Files.deleteIfExists(zip);
        }
    }

    @Test
    void refusesOneThatDeniesLinks() {
        refuses(
                new DirectoryProbe(folder) {
                    @Override
                    void link(Path link, Path existing) throws IOException {
                        throw new FileSystemException(link.toString(), null, "Operation not supported");
                    }
                },
                "has no hard links");
    }

    @Test
    void refusesAFileSystemWhoseLinksReplaceFiles() {
        refuses(
                new DirectoryProbe(folder) {
                    @Override
                    void link(Path link, Path existing) throws IOException {
                        Files.deleteIfExists(link);
                        super.link(link, existing);
                    }
                },
                "lets a link be made in place of a file");
    }

    @Test
    void refusesAFileSystemWhoseCreatesAreNotExclusive() {
        refuses(
                new DirectoryProbe(folder) {
                    @Override
                    void create(Path path) throws IOException {
                        Files.writeString(path, "");
                    }
                },
                "creates a file that exists already");
    }

    @Test
    void refusesOneThatRenamesInSteps() {
        refuses(
                new DirectoryProbe(folder) {
                    @Override
                    void rename(Path from, Path to) throws IOException {
                        throw new AtomicMoveNotSupportedException(from.toString(), to.toString(), "by the test");
                    }
                },
                "does not rename in one step");
    }

    @Test
    void refusesOneThatShowsRenamesLate() {
        refuses(
                new DirectoryProbe(folder) {
                    @Override
                    void rename(Path from, Path to) throws IOException {
                        Files.copy(to, from, StandardCopyOption.REPLACE_EXISTING);
                    }
                },
                "shows what was there before a rename");
    }

    @Test
    void refusesOneThatDoesNotSyncFolders() {
        refuses(
                new DirectoryProbe(folder) {
                    @Override
                    void sync(Path path) throws IOException {
                        if (Files.isDirectory(path)) {
                            throw new IOException("Invalid argument");
                        }
                    }
                },
                "cannot make a folder's entries safe");
    }

    private static void refuses(DirectoryProbe probe, String published) {
        assertThatThrownBy(probe::require)
                .isInstanceOf(CheckpointException.class)
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining(published)
                .hasMessageContaining("or a bucket (s3://bucket/prefix)");
    }
}
