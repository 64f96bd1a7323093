package io.trainyard.data;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/// A zip file of arrays, as written by `numpy.savez` and `numpy.savez_compressed`.
final class NpzFile implements ArrayFiles {
    private final Path file;
    private final ZipFile zip;

    NpzFile(Path file) {
        this.file = file;
        try {
            this.zip = new ZipFile(file.toFile());
        } catch (ZipException e) {
            throw DataFiles.wrong(
                    file, "no zip file (%s)".formatted(e.getMessage()), "one as numpy.savez writes it", e);
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    @Override
    public boolean has(String name) {
        return zip.getEntry(name + ".npy") != null;
    }

    @Override
    public List<Long> shape(String name) {
        try (InputStream in = zip.getInputStream(entry(name))) {
            return NpyReader.header(file, name, in).shape();
        } catch (IOException e) {
            throw broken(name, e);
        }
    }

    @Override
    public NumberArray read(String name) {
        ZipEntry entry = entry(name);
        CRC32 sum = new CRC32();
        try (InputStream in = new CheckedInputStream(zip.getInputStream(entry), sum)) {
            NpyReader.Header header = NpyReader.header(file, name, in);
            long bytes = header.dataBytes();
            long most = Math.min(
                    DataFiles.MAX_PIXEL_BYTES,
                    Math.min(Files.size(file), entry.getCompressedSize()) * DataFiles.MAX_COMPRESSION);
            if (bytes > most) {
                throw DataFiles.wrong(
                        file,
                        "%s with a header that states %d bytes".formatted(name, bytes),
                        "not more than the file can hold (%d); larger arrays can be files of their own, %s.npy"
                                .formatted(most, name));
            }
            byte[] values = in.readNBytes((int) bytes);
            if (values.length != bytes || in.read() >= 0) {
                throw DataFiles.wrong(
                        file,
                        "%s with %s bytes behind the header"
                                .formatted(name, values.length == bytes ? "more" : Integer.toString(values.length)),
                        "%d, as its header states (%s of %s)".formatted(bytes, header.type(), header.shape()));
            }
            if (sum.getValue() != entry.getCrc()) {
                throw DataFiles.wrong(
                        file,
                        "%s of the check sum %08x".formatted(name, sum.getValue()),
                        "%08x, as the file states".formatted(entry.getCrc()));
            }
            return new NumberArray(file, name, header.type(), header.shape(), MemorySegment.ofArray(values));
        } catch (IOException e) {
            throw broken(name, e);
        }
    }

    private ZipEntry entry(String name) {
        ZipEntry entry = zip.getEntry(name + ".npy");
        if (entry == null) {
            List<String> there = zip.stream()
                    .limit(20)
                    .map(one -> DataFiles.printable(one.getName().replaceFirst("\\.npy$", "")))
                    .toList();
            throw DataFiles.wrong(file, "the arrays %s".formatted(there), "also one named " + name);
        }
        return entry;
    }

    private DatasetException broken(String name, IOException e) {
        return switch (e) {
            case EOFException _, ZipException _ ->
                DataFiles.wrong(file, "a broken %s (%s)".formatted(name, e.getMessage()), "an intact one", e);
            default -> DataFiles.unreadable(file, e);
        };
    }

    @Override
    public void close() {
        try {
            zip.close();
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }
}
