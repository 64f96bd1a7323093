package io.trainyard.export;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// A file that replaces the existing one when it is complete.
public final class ReplacedFile implements Closeable {
    private static final int BUFFER = 1 << 16;

    private final Path file;
    private final Path part;
    private final OutputStream out;
    private boolean whole;

    public ReplacedFile(Path file) throws IOException {
        this.file = file;
        part = file.resolveSibling(file.getFileName() + ".part");
        out = new BufferedOutputStream(Files.newOutputStream(part), BUFFER);
    }

    public OutputStream out() {
        return out;
    }

    public void finish() {
        whole = true;
    }

    @Override
    public void close() throws IOException {
        out.close();
        if (whole) {
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.deleteIfExists(part);
        }
    }

    static void write(Path file, byte[] bytes) throws IOException {
        try (ReplacedFile replaced = new ReplacedFile(file)) {
            replaced.out().write(bytes);
            replaced.finish();
        }
    }
}
