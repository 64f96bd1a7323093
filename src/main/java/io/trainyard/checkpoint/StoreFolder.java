package io.trainyard.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// An open folder of a [DirectoryStore], opened from the store's root without following symbolic links. On
/// platforms with `openat`, a folder cannot be replaced by a link between a check and its use.
final class StoreFolder implements Closeable {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private final DirectoryStream<Path> stream;

    private StoreFolder(Path path, DirectoryStream<Path> stream) {
        this.path = path;
        this.stream = stream;
    }

    /// Opens a folder. Only folders below the root may be missing: without its root, the store is unavailable,
    /// not empty.
    ///
    /// @param folder the root or a folder below it
    /// @return empty if the folder does not exist
    /// @throws IOException if it cannot be opened, or if it or a parent is a symbolic link
    static Optional<StoreFolder> open(Path root, Path folder) throws IOException {
        StoreFolder at = openRoot(root);
        try {
            for (int i = root.getNameCount(); i < folder.getNameCount(); i++) {
                StoreFolder parent = at;
                Optional<StoreFolder> child = parent.child(folder.getName(i));
                parent.close();
                if (child.isEmpty()) {
                    return child;
                }
                at = child.get();
            }
            return Optional.of(at);
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    @SuppressWarnings("StreamResourceLeak") // closed with the folder
    private static StoreFolder openRoot(Path root) throws IOException {
        try {
            return new StoreFolder(root, Files.newDirectoryStream(root));
        } catch (NoSuchFileException e) {
            throw new IOException("the store's folder " + root + " is missing; is its volume mounted?", e);
        }
    }

    @SuppressWarnings("StreamResourceLeak") // closed with the folder
    private Optional<StoreFolder> child(Path name) throws IOException {
        Path child = path.resolve(name);
        if (!find(name).map(BasicFileAttributes::isDirectory).orElse(false)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new StoreFolder(
                    child,
                    stream instanceof SecureDirectoryStream<Path> secure
                            ? secure.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)
                            : Files.newDirectoryStream(child)));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /// @throws NoSuchFileException if the name does not exist; other errors do not imply that
    private BasicFileAttributes attributes(Path name) throws IOException {
        return stream instanceof SecureDirectoryStream<Path> secure
                ? secure.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes()
                : Files.readAttributes(path.resolve(name), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /// The attributes of an entry; empty if it does not exist.
    ///
    /// @throws IOException if it cannot be read or is a symbolic link
    Optional<BasicFileAttributes> find(Path name) throws IOException {
        try {
            BasicFileAttributes found = attributes(name);
            requireNoLink(path.resolve(name), found);
            return Optional.of(found);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /// Opens a file for reading; empty if it does not exist.
    Optional<SeekableByteChannel> read(Path name) throws IOException {
        Optional<BasicFileAttributes> found = find(name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        if (!found.get().isRegularFile()) { // opening a pipe might block forever
            throw new FileSystemException(path.resolve(name).toString(), null, "is not a regular file");
        }
        try {
            return Optional.of(
                    stream instanceof SecureDirectoryStream<Path> secure
                            ? secure.newByteChannel(name, READ)
                            : Files.newByteChannel(path.resolve(name), READ));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /// Deletes a file or a symbolic link, but not its target.
    ///
    /// @return whether it existed
    boolean delete(Path name) throws IOException {
        try {
            if (stream instanceof SecureDirectoryStream<Path> secure) {
                secure.deleteFile(name);
            } else {
                Files.delete(path.resolve(name));
            }
            return true;
        } catch (NoSuchFileException _) {
            return false;
        }
    }

    /// The names of all entries. May be called once.
    List<Path> names() throws IOException {
        List<Path> names = new ArrayList<>();
        try {
            stream.forEach(entry -> names.add(entry.getFileName()));
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    static void requireNoLink(Path path, BasicFileAttributes attributes) throws IOException {
        if (attributes.isSymbolicLink()) {
            throw new FileSystemException(
                    path.toString(), null, "is a symbolic link, and a checkpoint store follows none; remove it");
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
