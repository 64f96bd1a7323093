package io.trainyard.device.cuda.driver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A disk cache of compiled kernels, because NVRTC takes seconds to compile them in every process.
///
/// A file's name is a digest of all inputs of the compilation. Its content begins with a digest of the code, so a
/// truncated or damaged file is compiled again. Files are renamed into place, so several processes may write the
/// same one. A failing cache only costs time.
final class KernelCache {
    /// A set of kernels is about 1 MB, so this is dozens of combinations of precision, architecture and release.
    private static final long MAX_BYTES = 128L << 20;

    private static final int DIGEST_BYTES = 32;
    private static final String SUFFIX = ".kernels";
    private static final System.Logger LOG = System.getLogger(KernelCache.class.getName());

    private final @Nullable Path folder;
    private final long maxBytes;
    private final Clock clock;

    /// @param folder null: no cache
    /// @param maxBytes of all files; the least recently used ones are deleted above it
    KernelCache(@Nullable Path folder, long maxBytes, Clock clock) {
        this.folder = folder;
        this.maxBytes = maxBytes;
        this.clock = clock;
    }

    /// In `CUDA_KERNEL_CACHE`, or else in `trainyard/kernels` of `XDG_CACHE_HOME` or of `~/.cache`.
    ///
    /// @param environment such as [System#getenv]
    /// @param home the user's home folder
    static KernelCache of(Map<String, String> environment, String home) {
        String named = environment.getOrDefault("CUDA_KERNEL_CACHE", "");
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path folder = switch (named) {
            case "off" -> null;
            case "" -> caches(xdg, home).resolve("trainyard/kernels");
            default -> Path.of(named);
        };
        return new KernelCache(folder, MAX_BYTES, Clock.systemUTC());
    }

    /// The XDG base directory specification requires that a relative path in `XDG_CACHE_HOME` is ignored.
    private static Path caches(String xdg, String home) {
        return xdg.startsWith("/") ? Path.of(xdg) : Path.of(home, ".cache");
    }

    /// The machine code of a program, cached or newly compiled.
    ///
    /// @param key all inputs of the compilation, in order
    byte[] get(List<String> key, Supplier<byte[]> compile) {
        if (folder == null) {
            return compile.get();
        }
        Path file = folder.resolve(HexFormat.of().formatHex(digest(bytes(key))) + SUFFIX);
        Optional<byte[]> kept = read(file);
        if (kept.isPresent()) {
            return kept.get();
        }
        byte[] code = compile.get();
        write(folder, file, code);
        return code;
    }

    private Optional<byte[]> read(Path file) {
        try {
            byte[] content = Files.readAllBytes(file);
            if (content.length > DIGEST_BYTES) {
                byte[] code = Arrays.copyOfRange(content, DIGEST_BYTES, content.length);
                if (Arrays.equals(digest(code), Arrays.copyOf(content, DIGEST_BYTES))) {
                    touch(file);
                    return Optional.of(code);
                }
            }
            LOG.log(System.Logger.Level.WARNING, "{0} is damaged; the kernels are compiled again", file);
        } catch (NoSuchFileException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is not there yet", file);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "compiled kernels cannot be read", e);
        }
        return Optional.empty();
    }

    /// Records the last use, by which files are deleted. In an image the folder is read-only, which is not an
    /// error.
    private void touch(Path file) {
        try {
            Files.setLastModifiedTime(file, FileTime.from(clock.instant()));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the time of a compiled kernel's last use cannot be stored", e);
        }
    }

    private void write(Path parent, Path file, byte[] code) {
        try {
            Files.createDirectories(parent);
            Path temporary = Files.createTempFile(parent, "new", ".tmp");
            try {
                Files.write(
                        temporary,
                        ByteBuffer.allocate(DIGEST_BYTES + code.length)
                                .put(digest(code))
                                .put(code)
                                .array());
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(temporary);
            }
            deleteOldest(parent, file);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "compiled kernels cannot be stored in {0} ({1}): each process compiles them; CUDA_KERNEL_CACHE names another folder",
                    parent,
                    e);
        }
    }

    private record Entry(Path file, long bytes, FileTime used) {}

    /// @param newest is not deleted, even if it is larger than the limit
    private void deleteOldest(Path parent, Path newest) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(parent, "*{" + SUFFIX + ",.tmp}")) {
            for (Path file : files) {
                try {
                    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                    entries.add(new Entry(file, attributes.size(), attributes.lastModifiedTime()));
                } catch (NoSuchFileException e) {
                    LOG.log(System.Logger.Level.DEBUG, "another process deleted {0}", file);
                }
            }
        }
        entries.sort(Comparator.comparing(Entry::used));
        long bytes = entries.stream().mapToLong(Entry::bytes).sum();
        for (Entry entry : entries) {
            if (bytes > maxBytes && !entry.file().equals(newest)) {
                Files.deleteIfExists(entry.file());
                bytes -= entry.bytes();
            }
        }
    }

    /// Each part is preceded by its length, so different keys never give the same bytes.
    private static byte[] bytes(List<String> key) {
        List<byte[]> parts =
                key.stream().map(part -> part.getBytes(StandardCharsets.UTF_8)).toList();
        ByteBuffer all = ByteBuffer.allocate(
                parts.stream().mapToInt(part -> Integer.BYTES + part.length).sum());
        parts.forEach(part -> all.putInt(part.length).put(part));
        return all.array();
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
