package io.trainyard.checkpoint;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/// Tests the file system features that [DirectoryStore] requires, as far as one machine can. The test files are
/// hidden and are deleted afterwards.
class DirectoryProbe {
    static final String PREFIX = ".probe-";

    private final Path folder;
    private final Path first;
    private final Path second;

    DirectoryProbe(Path folder) {
        this.folder = folder;
        String name = PREFIX + UUID.randomUUID();
        first = folder.resolve(name + "-1");
        second = folder.resolve(name + "-2");
    }

    /// @throws CheckpointException if the file system does not have a required feature, which the message names
    /// @throws IOException if the folder cannot be written at present
    void require() throws IOException {
        try {
            Files.writeString(first, "1", StandardOpenOption.CREATE_NEW);
            requireSync();
            requireExclusiveCreate();
            requireExclusiveLink();
            requireAtomicRename();
        } finally {
            Files.deleteIfExists(first);
            Files.deleteIfExists(second);
        }
    }

    /// Without fsync, acknowledged writes could be lost after a power failure.
    private void requireSync() throws IOException {
        sync(first);
        try {
            sync(folder);
        } catch (IOException e) {
            throw lacks("cannot make a folder's entries safe (fsync): " + e.getMessage(), e);
        }
    }

    /// Without exclusive creation, two workers could begin the same attempt.
    private void requireExclusiveCreate() throws IOException {
        try {
            create(first);
        } catch (FileAlreadyExistsException _) {
            return;
        }
        throw lacks("creates a file that exists already (O_EXCL)");
    }

    private void requireExclusiveLink() throws IOException {
        try {
            link(second, first);
        } catch (UnsupportedOperationException | FileSystemException e) {
            throw lacks("has no hard links: " + e.getMessage(), e);
        }
        try {
            link(second, first);
        } catch (FileAlreadyExistsException _) {
            return;
        }
        throw lacks("lets a link be made in place of a file");
    }

    /// Without atomic renames, a reader could see a partial file or no file.
    private void requireAtomicRename() throws IOException {
        Files.delete(second);
        Files.writeString(second, "2", StandardOpenOption.CREATE_NEW);
        try {
            rename(second, first);
        } catch (AtomicMoveNotSupportedException | UnsupportedOperationException e) {
            throw lacks("does not rename in one step: " + e.getMessage(), e);
        }
        if (Files.exists(second) || !Files.readString(first).equals("2")) {
            throw lacks("shows what was there before a rename");
        }
    }

    void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    void create(Path path) throws IOException {
        Files.createFile(path);
    }

    void link(Path link, Path existing) throws IOException {
        Files.createLink(link, existing);
    }

    void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private CheckpointException lacks(String what) {
        return lacks(what, new IOException(what));
    }

    private CheckpointException lacks(String what, Exception cause) {
        return new CheckpointException(
                "the file system of the checkpoint store %s %s; use a local disk, NFS or another file system with hard links and atomic renames, or a bucket (s3://bucket/prefix)"
                        .formatted(folder, what),
                cause);
    }
}
