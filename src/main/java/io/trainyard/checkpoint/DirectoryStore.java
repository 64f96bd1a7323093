package io.trainyard.checkpoint;

import io.trainyard.spec.Sha256;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/// A store in a folder of a file system. Files are written under temporary names, synced, and then renamed or
/// linked, so readers never see partial files, even after a crash of the machine. Symbolic links below the root
/// are not followed; the root itself may be one ([StoreFolder]).
final class DirectoryStore implements CheckpointStore {
    private static final String TEMPORARY_PREFIX = ".writing-";

    private final Path root;

    private DirectoryStore(Path root) {
        this.root = root;
    }

    static DirectoryStore open(URI uri) {
        Path root = root(uri);
        try {
            Files.createDirectories(root);
        } catch (IOException e) {
            throw new StoreException("the checkpoint store %s cannot be created: %s".formatted(root, e), e);
        }
        if (!Files.isWritable(root)) {
            throw new StoreException(
                    "the checkpoint store %s cannot be written; choose another folder".formatted(root),
                    new AccessDeniedException(root.toString()));
        }
        try {
            new DirectoryProbe(root).require();
        } catch (IOException e) {
            throw failed("written", root, e);
        }
        return new DirectoryStore(root);
    }

    static DirectoryStore openToRead(URI uri) {
        Path root = root(uri);
        try (DirectoryStream<Path> _ = Files.newDirectoryStream(root)) {
            return new DirectoryStore(root);
        } catch (NoSuchFileException e) {
            throw unusable(root, "not there", e);
        } catch (NotDirectoryException | AccessDeniedException e) {
            throw unusable(root, "not a folder that can be read", e);
        } catch (IOException e) {
            throw failed("read", root, e);
        }
    }

    private static CheckpointException unusable(Path root, String what, IOException cause) {
        return new CheckpointException(
                "the checkpoint store %s is %s; name the folder that a job saved to".formatted(root, what), cause);
    }

    private static Path root(URI uri) {
        if (uri.getScheme() != null && !uri.getScheme().equals("file")) {
            throw new CheckpointException(
                    "the checkpoint store %s has the scheme \"%s\"; allowed is file:///folder, the path of a folder, or s3://bucket/prefix"
                            .formatted(uri, uri.getScheme()));
        }
        return (uri.getScheme() == null ? Path.of(uri.getPath()) : Path.of(uri))
                .toAbsolutePath()
                .normalize();
    }

    @Override
    public URI uri(String key) {
        return path(key).toUri();
    }

    @Override
    public String identity() {
        Path file = root.resolve(StoreKeys.IDENTITY);
        try {
            if (!isThere(file)) {
                var _ = create(file, StoreKeys.newIdentity().getBytes(StandardCharsets.US_ASCII));
            }
            try (InputStream in = open(file).orElseThrow(() -> new NoSuchFileException(file.toString()))) {
                return StoreKeys.requireIdentity(new String(in.readAllBytes(), StandardCharsets.UTF_8), file);
            }
        } catch (IOException e) {
            throw failed("read", file, e);
        }
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        return create(path(key), content);
    }

    private boolean create(Path target, byte[] content) {
        if (isThere(target)) {
            return false;
        }
        try {
            Path temporary = temporaryBeside(target);
            try {
                CheckpointRef _ = writeAndSync(temporary, target, out -> out.write(content));
                Files.createLink(target, temporary); // atomic; fails if the target exists
                syncFolder(target);
                return true;
            } catch (FileAlreadyExistsException e) {
                return false;
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw failed("written", target, e);
        }
    }

    @Override
    public void note(String key) {
        Path target = path(key);
        if (isThere(target)) {
            return;
        }
        try {
            Files.createDirectories(folderOf(target));
            Files.createFile(target);
        } catch (FileAlreadyExistsException _) { // noted already
        } catch (IOException e) {
            throw failed("written", target, e);
        }
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        Path target = path(key);
        var _ = isThere(target); // refuses symbolic links
        try {
            Path temporary = temporaryBeside(target);
            try {
                CheckpointRef ref = writeAndSync(temporary, target, content);
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                syncFolder(target);
                return ref;
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw failed("written", target, e);
        }
    }

    @Override
    public Optional<InputStream> open(String key) {
        return open(path(key));
    }

    private Optional<InputStream> open(Path target) {
        return in(folderOf(target), "read", folder -> folder.read(nameOf(target)))
                .flatMap(found -> found)
                .map(Channels::newInputStream);
    }

    @Override
    public boolean has(String key) {
        return isThere(path(key));
    }

    /// @throws StoreException if the folder cannot be read, or the name is a symbolic link
    private boolean isThere(Path target) {
        return in(folderOf(target), "looked into", folder -> folder.find(nameOf(target)))
                .flatMap(found -> found)
                .isPresent();
    }

    @Override
    public void delete(String key) {
        Path target = path(key);
        boolean deleted = in(folderOf(target), "written", folder -> folder.delete(nameOf(target)))
                .orElse(false);
        if (deleted) {
            try {
                syncFolder(target);
            } catch (IOException e) {
                throw failed("deleted", target, e);
            }
        }
    }

    @Override
    public void sweep(String key) {
        var _ = in(path(key), "swept", folder -> {
            for (Path name : folder.names()) {
                if (name.toString().startsWith(TEMPORARY_PREFIX)) {
                    var _ = folder.delete(name);
                }
            }
            return folder;
        });
    }

    @Override
    public List<String> list(String key) {
        return in(path(key), "listed", StoreFolder::names).orElse(List.of()).stream()
                .map(Path::toString)
                .filter(name -> !name.startsWith("."))
                .map(name -> key + "/" + name)
                .sorted()
                .toList();
    }

    @FunctionalInterface
    private interface Use<T> {
        T with(StoreFolder folder) throws IOException;
    }

    /// @return empty if the folder does not exist
    private <T> Optional<T> in(Path folder, String what, Use<T> use) {
        try {
            Optional<StoreFolder> found = StoreFolder.open(root, folder);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            try (StoreFolder open = found.get()) {
                return Optional.of(use.with(open));
            }
        } catch (IOException e) {
            throw failed(what, folder, e);
        }
    }

    private Path path(String key) {
        return root.resolve(StoreKeys.require(key));
    }

    private static Path temporaryBeside(Path target) throws IOException {
        Files.createDirectories(folderOf(target));
        return target.resolveSibling(TEMPORARY_PREFIX + UUID.randomUUID());
    }

    private static CheckpointRef writeAndSync(Path file, Path target, Content content) throws IOException {
        MessageDigest digest = Sha256.digest();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            OutputStream out = new DigestOutputStream(new NonClosingStream(Channels.newOutputStream(channel)), digest);
            try (OutputStream buffered = new BufferedOutputStream(out, 1 << 16)) {
                content.writeTo(buffered);
            }
            channel.force(true);
            return new CheckpointRef(target.toUri(), Sha256.text(digest), channel.size());
        }
    }

    /// A rename is durable after its folder is synced.
    private static void syncFolder(Path target) throws IOException {
        try (FileChannel folder = FileChannel.open(folderOf(target), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private static Path nameOf(Path file) {
        return Objects.requireNonNull(file.getFileName(), "every key has a name");
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.getParent(), "every key lies under the root");
    }

    private static StoreException failed(String what, Path file, IOException e) {
        return new StoreException("%s cannot be %s: %s".formatted(file, what, e), e);
    }

    /// Flushes on close and leaves the channel open for syncing.
    private static final class NonClosingStream extends FilterOutputStream {
        NonClosingStream(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
