package io.trainyard.data.bucket;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The layout of the cache folder.
///
///     files/<hash>          a complete file; the datasets with this file have hard links to it
///     sets/<hash>/<set>/    a complete dataset
///     sets/.<hash>/         a dataset that is being downloaded or removed
///     locks/<hash>          shared by readers of a dataset, exclusive for downloads and removals; its modification
///                           time is the last use
///     wanted/<hash>         number of bytes being downloaded
///
/// @param root of the cache
record CacheFolder(Path root) {
    private static final String HIDDEN = ".";
    private static final String LINKS = "unix:nlink";

    static CacheFolder at(Path root) throws IOException {
        CacheFolder folder = new CacheFolder(root.toAbsolutePath().normalize());
        for (Path part : List.of(folder.files(), folder.sets(), folder.locks(), folder.wanted(), folder.nothing())) {
            Files.createDirectories(part);
        }
        return folder;
    }

    private Path files() {
        return root.resolve("files");
    }

    private Path sets() {
        return root.resolve("sets");
    }

    private Path locks() {
        return root.resolve("locks");
    }

    private Path wanted() {
        return root.resolve("wanted");
    }

    Path nothing() {
        return root.resolve("nothing");
    }

    Path file(String hash) {
        return files().resolve(hash);
    }

    Path set(String hash) {
        return sets().resolve(hash);
    }

    Path unfinished(String hash) {
        return sets().resolve(HIDDEN + hash);
    }

    Path lock(String hash) {
        return locks().resolve(hash);
    }

    /// Held by a process that frees space.
    Path spaceLock() {
        return locks().resolve("room");
    }

    /// Records a use of a dataset, or progress of its download.
    void touch(String hash) throws IOException {
        Files.setLastModifiedTime(lock(hash), FileTime.fromMillis(System.currentTimeMillis()));
    }

    FileTime lastUse(String hash) {
        try {
            return Files.getLastModifiedTime(lock(hash));
        } catch (IOException _) {
            return FileTime.fromMillis(0); // never used
        }
    }

    /// The complete datasets, the least recently used first.
    List<String> setsByUse() throws IOException {
        try (Stream<Path> all = Files.list(sets())) {
            return all.map(set -> set.getFileName().toString())
                    .filter(name -> !name.startsWith(HIDDEN))
                    .sorted(Comparator.comparing(this::lastUse))
                    .toList();
        }
    }

    /// The datasets with an unfinished download or removal.
    List<String> setsUnfinished() throws IOException {
        try (Stream<Path> all = Files.list(sets())) {
            return all.map(set -> set.getFileName().toString())
                    .filter(name -> name.startsWith(HIDDEN))
                    .map(name -> name.substring(HIDDEN.length()))
                    .toList();
        }
    }

    void want(String hash, long bytes) throws IOException {
        Files.writeString(wanted().resolve(hash), Long.toString(bytes), StandardCharsets.US_ASCII);
    }

    void wantNothing(String hash) throws IOException {
        Files.deleteIfExists(wanted().resolve(hash));
    }

    /// The bytes that other processes are downloading; ignores processes that were killed.
    long wantedByOthers(String mine) throws IOException {
        long bytes = 0;
        try (Stream<Path> all = Files.list(wanted())) {
            for (Path file : all.toList()) {
                String hash = file.getFileName().toString();
                if (!hash.equals(mine)) {
                    bytes += wanted(hash);
                }
            }
        }
        return bytes;
    }

    private long wanted(String hash) throws IOException {
        Optional<CacheLock> abandoned = CacheLock.tryAlone(lock(hash));
        if (abandoned.isPresent()) {
            try (CacheLock _ = abandoned.get()) {
                wantNothing(hash);
                return 0;
            }
        }
        try {
            return Long.parseLong(Files.readString(wanted().resolve(hash), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException | NumberFormatException _) {
            return 0; // the download has just finished
        }
    }

    /// Hides a dataset atomically, then deletes it.
    void remove(String hash) throws IOException {
        delete(unfinished(hash));
        Files.move(set(hash), unfinished(hash));
        delete(unfinished(hash));
    }

    long bytes() throws IOException {
        long bytes = 0;
        try (Stream<Path> all = Files.list(files())) {
            for (Path file : all.toList()) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    /// Deletes files that belong to no dataset, except those in `but`. The caller must hold [#spaceLock].
    ///
    /// @return the bytes of the remaining files
    long dropUnused(Set<String> but) throws IOException {
        try (Stream<Path> all = Files.list(files())) {
            for (Path file : all.toList()) {
                boolean unused = ((Number) Files.getAttribute(file, LINKS)).intValue() == 1;
                if (unused && !but.contains(file.getFileName().toString())) {
                    Files.deleteIfExists(file);
                }
            }
        }
        return bytes();
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
